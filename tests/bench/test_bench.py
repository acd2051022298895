"""Every benchmark once, as short as can be, on both engines. Nothing here looks at a time."""

import json
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from chip_traffic import write_recording
from tilelab.bench import ttsim
from tilelab.bench.backends import EngineBackend, TileHost, UnableError
from tilelab.bench.check import measure_check, seconds_of
from tilelab.bench.measure import Simulator, measure
from tilelab.bench.report import SECTIONS
from tilelab.bench.work import DATA, INNER, OUT, OUTER, Work, catalogue, chosen
from tilelab.check.chip.engine import CheckedChip
from tilelab.chip.chip import Chip
from tilelab.cli.main import main
from tilelab.sim.errors import BadInputError
from tilelab.tensix.tile.tile import Tile
from tilelab.traffic.calls import read_any

FAST = [name for name in catalogue() if not name.startswith("RISC-V")]


def started(name: str, engine: str) -> EngineBackend:
    backend = EngineBackend(engine)
    backend.start(catalogue()[name])
    return backend


def tile_of(backend: EngineBackend) -> Tile:
    assert backend._driver is not None
    assert isinstance(backend._driver.host, TileHost)
    return backend._driver.host.tile


@pytest.mark.parametrize("name", FAST)
def test_a_run_issues_what_it_counts(name: str) -> None:
    backend, work = started(name, "fast"), catalogue()[name]
    tile = tile_of(backend)
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
        tiles.append(tile_of(backend))
    assert not tiles[0].state.diff(tiles[1].state.record)
    assert np.array_equal(tiles[0].state.l1, tiles[1].state.l1)


MATRIX = ("MVMUL", "ELWADD", "ELWMUL", "GAPOOL")


@pytest.mark.parametrize(
    "name", [name for name in FAST if name not in ("SFPMAD of zeros", "expansion")]
)
def test_no_benchmark_works_on_zeros(name: str) -> None:
    backend = started(name, "fast")
    tile = tile_of(backend)
    tile.write(OUT, bytes(2048))
    tile.state.record["lreg"][1] *= name != "SFPLOAD"
    tile.state.record["lreg"][3] = 0
    backend.run(1)
    state = tile.state
    if name in MATRIX:
        assert np.count_nonzero(state.src_a) > 900
        assert np.count_nonzero(state.src_b) > 900
        assert np.count_nonzero(state.dst) > (900 if name != "GAPOOL" else 30)
    elif name == "UNPACR":
        assert np.count_nonzero(state.src_a) == len(DATA) // 2
    elif name == "PACR":
        packed = np.frombuffer(tile.read(OUT, 2048), np.uint16)
        assert np.count_nonzero(packed) == 1024
        assert len(np.unique(packed)) > 100
    else:
        assert np.count_nonzero(state.lreg[1 if name == "SFPLOAD" else 3]) == 32


def test_multiplying_zeros_is_a_benchmark_of_its_own() -> None:
    backend = started("SFPMAD of zeros", "fast")
    backend.run(1)
    assert not np.any(tile_of(backend).state.lreg[:4])


class Unable(EngineBackend):
    def start(self, work: Work) -> None:
        raise UnableError("no such unit")


class Dying(EngineBackend):
    def run(self, repeats: int) -> float:
        raise SystemExit(7)


def test_what_a_simulator_cannot_do_is_skipped_with_the_reason() -> None:
    compared = [
        Simulator("fast", partial(EngineBackend, "fast")),
        Simulator("unable", partial(Unable, "reference")),
        Simulator("dying", partial(Dying, "reference")),
    ]
    row = measure(catalogue()["expansion"], compared, 1, tiny=True)
    assert row.skipped == {
        "unable": "no such unit",
        "dying": "it ended its process, exit code 7",
    }
    assert list(row.rates) == ["fast"]
    memory = row.memory["fast"]
    assert 5 < memory.base_mib < memory.peak_mib < 1000


def test_a_folder_without_the_vendors_library_is_an_error(monkeypatch, tmp_path) -> None:
    monkeypatch.setenv(ttsim.VARIABLE, str(tmp_path))
    with pytest.raises(UnableError, match="libttsim_bh"):
        ttsim.folder()


def test_names() -> None:
    assert [work.name for work in chosen(["elw"])] == ["ELWADD", "ELWMUL"]
    with pytest.raises(BadInputError, match="MVMUL"):
        chosen(["nothing"])


def keys(value: object) -> set[str]:
    if isinstance(value, list):
        return set().union(*map(keys, value))
    return set(value).union(*map(keys, value.values())) if isinstance(value, dict) else set()


def test_the_document(capsys: pytest.CaptureFixture[str], monkeypatch) -> None:
    monkeypatch.delenv(ttsim.VARIABLE, raising=False)
    arguments = ["expansion", "growth", "--tiny", "--runs", "1", "--size", "1", "--size", "2"]
    assert main(["bench", *arguments, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert [row["size"] for row in document["benchmarks"]] == [1, 2]
    row = document["benchmarks"][0]
    assert set(row) == {"name", "unit", "size", "rates", "memory", "skipped", "ratios"}
    assert set(row["rates"]["fast"]) == {"median", "low", "high", "units"}
    assert set(row["ratios"]) >= {"reference"}
    assert [(row["name"], row["size"]) for row in document["length"]] == [
        ("MVMUL", 1),
        ("MVMUL", 2),
    ]
    assert [row["tiles"] for row in document["tiles"]] == [1, 2]
    assert document["llk"] is document["start"] is document["sweep"] is None
    assert "ttsim" in document["missing"]


def test_the_tables(capsys: pytest.CaptureFixture[str], monkeypatch) -> None:
    monkeypatch.delenv(ttsim.VARIABLE, raising=False)
    assert main(["bench", "growth", "--tiny", "--runs", "1"]) == 0
    out = capsys.readouterr().out
    assert "not measured: ttsim: TILELAB_TTSIM names no folder" in out
    assert "tiles" in out


def test_a_name_that_is_none_lists_all_that_are() -> None:
    with pytest.raises(BadInputError) as caught:
        chosen(["nosuch"], SECTIONS)
    names = caught.value.summary.partition("choose from ")[2].split(", ")
    assert names == [*catalogue(), *SECTIONS]
    assert not any("," in name for name in catalogue())


@pytest.mark.parametrize("make", [Chip, CheckedChip])
def test_the_checker_is_measured_on_a_recording(make: type[Chip], tmp_path: Path) -> None:
    assert seconds_of(make, read_any(write_recording(tmp_path, "blackhole"))) > 0


def test_the_checker_is_measured_on_an_example() -> None:
    (row,) = measure_check(2, tiny=True, note=lambda text: None)
    assert row.name == "datacopy"
    assert row.plain.median > 0
    assert row.ratio.low <= row.ratio.median <= row.ratio.high
