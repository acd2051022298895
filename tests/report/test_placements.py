"""Placements: other ways to begin, which change when things happen and nothing else."""

import json
from pathlib import Path

import numpy as np
import pytest

from tilelab.cli.main import main
from tilelab.kernels.kernel_toml.file import read_kernel_file
from tilelab.kernels.run import run_kernel
from tilelab.report.breakdown import breakdown
from tilelab.report.placements import PLACEMENTS, Levels, levels, place
from tilelab.report.what_if import Supposed
from tilelab.sim.errors import BadInputError
from tilelab.tensix import Tile
from tilelab.tensix.tile.tile import Tile as TensixTile

EXAMPLES = Path(__file__).parents[2] / "examples"


def ran(name: str, number: int) -> tuple[TensixTile, int]:
    kernel = read_kernel_file(EXAMPLES / name)
    tile = Tile(kernel.arch, clock="cycle")
    place(tile, number)
    result = run_kernel(kernel, tile)
    assert result.passed
    return tile, result.cycles


def test_placements_change_times_and_no_result() -> None:
    tiles, cycles = zip(*(ran("eltwise_add", n) for n in range(len(PLACEMENTS))), strict=True)
    assert len(set(cycles)) > 1
    for tile in tiles[1:]:
        assert np.array_equal(tile.state.l1[0x20000:], tiles[0].state.l1[0x20000:])
        assert np.array_equal(tile.state.dst, tiles[0].state.dst)
    for tile, total in zip(tiles, cycles, strict=True):
        for thread in breakdown(tile.state).threads:
            assert thread.active + sum(thread.idle.values()) == total, thread.name


def test_a_placement_is_the_same_each_time() -> None:
    assert ran("datacopy", 6)[1] == ran("datacopy", 6)[1]


def test_a_run_with_cycles_gives_the_range_and_a_placement_alone_gives_one(
    capsys: pytest.CaptureFixture[str],
) -> None:
    target = str(EXAMPLES / "eltwise_add")
    assert main(["run", target, "--cycles", "--json"]) == 0
    kernel = json.loads(capsys.readouterr().out)["kernels"][0]
    found = {one["placement"]: one["cycles"] for one in kernel["placements"]}
    assert list(found) == list(range(len(PLACEMENTS)))
    assert found[0] == kernel["cycles"]
    slowest = max(found, key=lambda number: found[number])
    assert main(["run", target, "--cycles", "--json", "--placement", str(slowest)]) == 0
    alone = json.loads(capsys.readouterr().out)["kernels"][0]
    assert alone["cycles"] == found[slowest] > found[0]
    assert "placements" not in alone
    assert main(["run", target, "--cycles"]) == 0
    assert f"{min(found.values()):,} to {max(found.values()):,} cycles" in capsys.readouterr().out


def test_a_placement_that_ends_otherwise_is_told() -> None:
    made = levels(100, [Supposed("placement 1", None, "deadlock"), Supposed("placement 2", 96)])
    assert made == Levels({0: 100, 2: 96}, (Supposed("placement 1", None, "deadlock"),))
    assert (made.low, made.high) == (96, 100)
    assert "code in its lines 4.0 %" in made.decided_by()


def test_wrong_placements_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(BadInputError, match="0 to 7"):
        place(Tile(clock="cycle"), len(PLACEMENTS))
    with pytest.raises(BadInputError, match="cycle clock"):
        place(Tile(), 1)
    assert main(["run", str(EXAMPLES / "datacopy"), "--placement", "1"]) == 2
    assert "--cycles" in capsys.readouterr().err
