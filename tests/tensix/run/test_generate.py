"""What is generated for the fast engine alone, run by CPython as it is written.

Its scheduler, waits and kernels are the reference engine's own, which Python runs. Generated for it
are only the dispatch of words and the cores' loop: here the reference engine runs with those.
"""

from pathlib import Path

import numpy as np
import pytest

from engine_pair import CHIPS, pair
from tilelab.kernels.kernel_toml.file import read_kernel_file
from tilelab.kernels.run import load
from tilelab.sim.checks import Policy
from tilelab.sim.kernel import KERNELS
from tilelab.tensix.arch import arch
from tilelab.tensix.riscv import core
from tilelab.tensix.run import execute, rounds
from tilelab.tensix.run.speed import fast, generate, generate_cores
from tilelab.tensix.tile.tile import Tile

EXAMPLES = Path(__file__).parents[3] / "examples"
ROUNDS = 700


def run_example(name: str) -> Tile:
    """The first rounds of an example, by the reference engine."""
    tile = Tile(engine="reference")
    words = tile.arch.l1_size // 4
    for buffer in ("code_word", "code_operation"):
        setattr(tile.state.s, buffer, [0] * words)  # what the fast engine keeps beside the state
    load(tile, read_kernel_file(EXAMPLES / name))
    tile.run(ROUNDS)
    return tile


@pytest.mark.parametrize("name", ["datacopy", "matmul"])
def test_the_generated_loops_in_python(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = run_example(name)
    cores = generate_cores.cores(arch("blackhole"))
    made = generate.dispatch(arch("blackhole"))
    called = 0

    def dispatch(s: object, t: int, word: int) -> int:
        nonlocal called
        called += 1
        return made(s, t, word)

    monkeypatch.setattr(rounds, "execute", dispatch)
    monkeypatch.setattr(core, "step", cores["step"])
    monkeypatch.setattr(rounds, "run_cores", cores["run_cores"])
    tile = run_example(name)
    assert called > 5
    assert not tile.state.diff(expected.state.record)
    assert np.array_equal(tile.state.l1, expected.state.l1)


@pytest.mark.parametrize("chip", CHIPS)
def test_the_generated_dispatch_in_python(chip: str) -> None:
    engines = pair(chip, Policy.OFF)
    made, s = generate.dispatch(arch(chip)), engines.reference.state.s
    rng = np.random.default_rng(3)
    for opcode in range(256):
        word = opcode << 24 | int(rng.integers(1 << 24)) * int(rng.integers(2))
        engines.restart(opcode)
        code = execute.execute(s, 1, word)
        after = engines.reference.state.memory.copy()
        engines.restart(opcode)
        assert made(s, 1, word) == code
        assert np.array_equal(engines.reference.state.memory, after), f"{word:#010x}"


def test_an_edit_of_any_kernel_makes_compiled_code_anew() -> None:
    rooms = {name.split(".")[1] for name in KERNELS if name.startswith("tilelab.")}
    assert "tensix" in rooms
    assert rooms <= set(fast.COMPILED)
