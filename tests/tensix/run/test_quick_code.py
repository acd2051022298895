"""Quick code holds each instruction once, and leaves what thorough code and the reference leave."""

from collections.abc import Iterator

import pytest
import test_engines_agree as agree

import engine_pair
from tilelab.kernelpy import tiers
from tilelab.kernelpy.build import Compiler
from tilelab.kernels.examples import examples_folder
from tilelab.kernels.kernel_toml.file import read_kernel_file
from tilelab.kernels.run import load
from tilelab.sim.errors import DeadlockError
from tilelab.tensix.run import rounds
from tilelab.tensix.run.speed import fast
from tilelab.tensix.state import NOT_ARCHITECTURE
from tilelab.tensix.tile.tile import Tile


@pytest.fixture(scope="module")
def quick() -> Iterator[None]:
    """Quick code alone, whatever the cache has."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fast, "_CODE", {})
        patch.setattr(Compiler, "found", lambda self: None)
        patch.setenv(tiers.PATIENCE, "inf")
        engine_pair.pair.cache_clear()
        yield
    engine_pair.pair.cache_clear()


def is_quick(tile: Tile) -> bool:
    engine = tile.engine
    assert isinstance(engine, fast.FastEngine)
    return isinstance(engine._code, tiers.Tiers) and engine._code.quick


def ended(tile: Tile, count: int) -> str:
    """Why a run of so many rounds ends; in the last one nothing is left to do."""
    try:
        return str(tile.run(count))
    except DeadlockError as error:
        return str(error)


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize(("chip", "name"), agree.ROWS)
def test_random_words_of_a_row(chip: str, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(agree, "WORDS", 3)
    assert is_quick(engine_pair.pair(chip, None).fast)
    agree.test_random_words_of_a_row(chip, name, None)


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("chip", engine_pair.CHIPS)
def test_random_programs(chip: str) -> None:
    agree.test_random_programs(chip)


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("clock", ["functional", "cycle"])
def test_an_example_and_its_cores(clock: str) -> None:
    """Rounds, stops and all: in parts that end anywhere, the same states one after the other."""
    kernel = read_kernel_file(examples_folder() / "matmul" / "kernel.toml")
    tiles = [Tile(kernel.arch, engine, clock) for engine in ("fast", "reference")]
    assert is_quick(tiles[0])
    for tile in tiles:
        load(tile, kernel)
    for part in (1, 2, 3, 50, 97, 300, 1000, 2000, 5000):
        ends = [ended(tile, part) for tile in tiles]
        assert ends[0] == ends[1]
        one, other = (tile.state for tile in tiles)
        for name in one.record.dtype.names or ():
            if not name.startswith(NOT_ARCHITECTURE):
                assert one.record[name].tobytes() == other.record[name].tobytes(), (part, name)
        assert bytes(one.l1) == bytes(other.l1)


def test_quick_code_holds_each_instruction_once() -> None:
    """Cores in quick code are stepped by the text of ``rounds``."""
    arch = Tile("blackhole", engine="reference").arch
    made = [fast.module(arch, quick=quick).units["cores"] for quick in (True, False)]
    assert 5 * len(made[0].text) < len(made[1].text)
    assert [rounds.run_cores in unit.module.instead for unit in made] == [False, True]
