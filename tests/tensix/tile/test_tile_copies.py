"""A tile as a Python object: printed, copied, pickled; and what it refuses from Python."""

import copy
import pickle
from collections.abc import Callable
from pathlib import Path

import pytest

from tilelab.kernels.assembly_run import run_elfs
from tilelab.kernels.kernel_toml.file import read_kernel_file
from tilelab.kernels.run import load, run_kernel
from tilelab.report.breakdown import breakdown
from tilelab.sim.errors import BadInputError
from tilelab.tensix.riscv.elf import load_elf
from tilelab.tensix.tile.tile import Tile

EXAMPLES = Path(__file__).parents[3] / "examples"
DATACOPY = EXAMPLES / "datacopy"
COPIES: list[Callable[[Tile], Tile]] = [
    copy.copy,
    copy.deepcopy,
    lambda tile: pickle.loads(pickle.dumps(tile)),
]


def contents(tile: Tile) -> tuple[bytes, bytes]:
    return tile.state.record.tobytes(), tile.state.l1.tobytes()


@pytest.mark.parametrize("copied", COPIES)
@pytest.mark.parametrize("clock", ["functional", "cycle"])
@pytest.mark.parametrize("engine", ["fast", "reference"])
def test_a_copy_goes_on_as_the_tile_does(
    engine: str, clock: str, copied: Callable[[Tile], Tile]
) -> None:
    tile = Tile("blackhole", engine, clock, replay_count0=32)
    load(tile, read_kernel_file(DATACOPY))
    tile.run(200)
    other = copied(tile)
    assert contents(other) == contents(tile)
    assert repr(other) == repr(tile)
    assert other.arch == tile.arch
    tile.run(150)
    assert contents(other) != contents(tile), "they share nothing"
    other.run(150)
    assert contents(other) == contents(tile)
    assert other.whereabouts() == tile.whereabouts(), "it knows the programs' names"


def test_a_copy_has_no_observers() -> None:
    tile = Tile(engine="reference")
    seen: list[int] = []
    tile.observe(lambda clock, thread, word, origin: seen.append(word))
    other = copy.copy(tile)
    other.push(0x02000000)
    other.run(10)
    assert not seen


def test_a_tile_and_a_result_print_as_one_line() -> None:
    tile = Tile("wormhole", "reference", "cycle", wait_replaces=1)
    assert repr(tile) == (
        "<Tile(arch='wormhole', engine='reference', clock='cycle', wait_replaces=1) "
        "at cycle 0, idle>"
    )
    tile = Tile(engine="reference")
    result = run_kernel(DATACOPY, tile)
    assert str(result) == f"<PASS datacopy, {result.cycles} cycles>"
    assert "trisc0, trisc1, trisc2 running" in repr(tile)


@pytest.mark.parametrize("path", [DATACOPY, str(DATACOPY), DATACOPY / "kernel.toml"])
def test_a_kernel_can_be_named_by_its_path(path: Path | str) -> None:
    assert run_kernel(path, Tile(engine="reference")).passed


def test_a_kernel_needs_a_fresh_tile_of_its_chip(tmp_path: Path) -> None:
    tile = Tile(engine="reference")
    run_kernel(DATACOPY, tile)
    with pytest.raises(BadInputError, match="the tile has run already, to cycle 483"):
        run_kernel(DATACOPY, tile)
    with pytest.raises(BadInputError, match="the tile has run already"):
        run_elfs({"trisc1": load_elf(DATACOPY / "math.elf")}, tile, 100)
    with pytest.raises(BadInputError, match="is for blackhole; the tile is wormhole"):
        run_kernel(DATACOPY, Tile("wormhole", "reference"))
    with pytest.raises(BadInputError, match="no such file"):
        run_kernel(tmp_path, Tile(engine="reference"))
    prepared = Tile(engine="reference")
    prepared.write(0x100000, b"1234")
    prepared.set_policy("sempost-above-max", "warn")
    assert run_kernel(DATACOPY, prepared).passed


def test_a_breakdown_needs_a_clock_that_counts_time() -> None:
    with pytest.raises(BadInputError, match="needs the cycle clock"):
        breakdown(Tile(engine="reference").state)


@pytest.mark.parametrize("name", ["erisc", "math", ""])
def test_a_core_that_is_not_there_cannot_be_started(name: str) -> None:
    with pytest.raises(BadInputError, match="no core is called"):
        Tile(engine="reference").start(name)
