"""Every benchmark once, as short as can be, on both engines. Nothing here looks at a time."""

import json

import numpy as np
import pytest

from tilelab.bench import ttsim
from tilelab.bench.backends import EngineBackend, UnableError
from tilelab.bench.measure import measure
from tilelab.bench.work import INNER, OUTER, catalogue, chosen
from tilelab.cli.main import main
from tilelab.sim.errors import BadInputError

FAST = [name for name in catalogue() if not name.startswith("RISC-V")]


def started(name: str, engine: str) -> EngineBackend:
    backend = EngineBackend(engine)
    backend.start(catalogue()[name])
    return backend


@pytest.mark.parametrize("name", FAST)
def test_a_run_issues_what_it_counts(name: str) -> None:
    backend, work = started(name, "fast"), catalogue()[name]
    assert backend._driver is not None
    tile = backend._driver.host.tile  # type: ignore[attr-defined]
    before = tile.state.record["engine"]["issued"].sum()
    backend.run(3)
    issued = int(tile.state.record["engine"]["issued"].sum() - before)
    assert issued == 3 * OUTER * INNER * len(work.words) == 3 * work.per_repeat * work.per_unit


@pytest.mark.parametrize("name", catalogue())
def test_both_engines_do_the_same_work(name: str) -> None:
    tiles = []
    for engine in ("fast", "reference"):
        backend = started(name, engine)
        backend.run(1)
        tiles.append(backend._driver.host.tile)  # type: ignore[union-attr]
    assert not tiles[0].state.diff(tiles[1].state.record)
    assert np.array_equal(tiles[0].state.l1, tiles[1].state.l1)


def test_operands_are_not_all_zero() -> None:
    backend = started("MVMUL", "fast")
    backend.run(1)
    state = backend._driver.host.tile.state  # type: ignore[union-attr]
    assert np.count_nonzero(state.src_a) > 900
    assert np.count_nonzero(state.src_b) > 900
    assert np.count_nonzero(state.dst) > 900


def test_what_a_simulator_cannot_do_is_skipped_with_the_reason() -> None:
    class Unable(EngineBackend):
        def start(self, work: object) -> None:
            raise UnableError("no such unit")

    unable = Unable("reference")
    row = measure(catalogue()["expansion"], [EngineBackend("fast"), unable], 1, tiny=True)
    assert row.skipped == {"reference": "no such unit"}
    assert list(row.rates) == ["fast"]


def test_a_folder_without_the_vendors_library_is_an_error(monkeypatch, tmp_path) -> None:
    monkeypatch.setenv(ttsim.VARIABLE, str(tmp_path))
    with pytest.raises(UnableError, match="libttsim_bh"):
        ttsim.folder()


def test_names() -> None:
    assert [work.name for work in chosen(["elw"])] == ["ELWADD", "ELWMUL"]
    with pytest.raises(BadInputError, match="MVMUL"):
        chosen(["nothing"])


def test_the_document(capsys: pytest.CaptureFixture[str], monkeypatch) -> None:
    monkeypatch.delenv(ttsim.VARIABLE, raising=False)
    assert main(["bench", "expansion", "--tiny", "--runs", "1", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert set(document) == {"benchmarks", "missing", "start"}
    (row,) = document["benchmarks"]
    assert set(row) == {"name", "unit", "size", "rates", "skipped", "ratios"}
    assert set(row["rates"]["fast"]) == {"median", "low", "high", "units"}
    assert set(row["ratios"]) >= {"reference"}
