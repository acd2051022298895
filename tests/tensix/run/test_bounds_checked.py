"""The fast engine compiled with a check of every index: the same results, and nothing outside."""

from pathlib import Path

import numpy as np
import pytest
from test_engines_agree import STOPS, load, program

from engine_pair import Pair
from tilelab.kernelpy.machine import OutsideError
from tilelab.kernels.kernel_toml.file import read_kernel_file
from tilelab.kernels.run import run_kernel
from tilelab.sim.checks import CHECKS
from tilelab.tensix.arch import arch
from tilelab.tensix.run.speed.fast import BOUNDS_CHECK, bounds_checked, code
from tilelab.tensix.tile.tile import Tile

EXAMPLES = Path(__file__).parents[3] / "examples"
PROGRAMS = 15


@pytest.fixture(scope="module")
def engines() -> Pair:
    """A tile of each engine, the fast one with checks."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(BOUNDS_CHECK, "1")
        return Pair("blackhole", states=6)


def test_the_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    for value, meant in (("1", True), ("0", False), ("", False)):
        monkeypatch.setenv(BOUNDS_CHECK, value)
        assert bounds_checked() is meant
    assert code(arch("blackhole")) is not code(arch("blackhole"), checked=True)


def test_words_of_every_row(engines: Pair) -> None:
    for name in engines.reference.arch.instructions:
        for i, word in enumerate(engines.row_words(name, 3)):
            engines.restart(i)
            engines.execute(word, i % 3)
            engines.compare(f"{name} {word:#010x}, state {i}")


def test_programs(engines: Pair) -> None:
    for seed in range(PROGRAMS):
        engines.restart(seed)
        words = program(engines, np.random.default_rng(seed))
        engines.restart(seed)
        for tile in (engines.reference, engines.fast):
            load(tile, words)
        codes = [tile.engine.rounds(400) for tile in (engines.reference, engines.fast)]
        assert codes[0] == codes[1]
        assert codes[0] in STOPS or codes[0] in CHECKS
        engines.compare(f"program {seed}")


@pytest.mark.parametrize("name", ["datacopy", "eltwise_add", "matmul"])
@pytest.mark.parametrize("clock", ["functional", "cycle"])
def test_kernels(name: str, clock: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(BOUNDS_CHECK, "1")
    assert run_kernel(read_kernel_file(EXAMPLES / name), Tile(clock=clock)).passed


def test_what_is_outside_is_an_error(engines: Pair) -> None:
    engines.restart(0)
    engines.fast.state.record["src_a_matrix_bank"] = 2  # there are 0 and 1
    move = engines.fast.arch.instructions["MOVA2D"].encode(instr_mod=2)
    with pytest.raises(OutsideError, match=r"src.valid has 2 elements, the index is 2"):
        engines.fast.engine.execute(1, move)
