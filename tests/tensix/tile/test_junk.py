"""A tile that begins with junk: what reads what nothing wrote shows, what is healthy does not."""

from pathlib import Path

import numpy as np
import pytest

from tilelab.kernels.assembly_run import run_program
from tilelab.kernels.kernel_toml.file import read_kernel_file
from tilelab.kernels.run import run_kernel
from tilelab.sim.errors import BadInputError
from tilelab.tensix.state import CONSTANT_LREGS
from tilelab.tensix.tile.tile import CLOCKS, ENGINES, Tile
from tilelab.tensix.words.assembly import assemble

EXAMPLES = Path(__file__).parents[3] / "examples"
CHIPS = ("blackhole", "wormhole")
FILLED = ("dst", "src_a", "src_b", "gpr")

COPY_OF_DST = "sfpload L1,0,0,0\nsfpstore L1,8,0,0\n"
COPY_OF_LREG = "sfpstore L3,0,0,0\n"


@pytest.mark.parametrize("chip", CHIPS)
def test_a_seed_gives_the_same_junk_to_both_engines(chip: str) -> None:
    fast, reference = (Tile(chip, engine, junk=7) for engine in ENGINES)
    assert fast.state.record.tobytes() == reference.state.record.tobytes()
    assert (fast.state.l1 == reference.state.l1).all()
    other = Tile(chip, "reference", junk=8)
    for name in FILLED:
        assert (reference.state.record[name] != other.state.record[name]).mean() > 0.9, name
    assert (reference.state.l1 != other.state.l1).mean() > 0.9
    for lreg in range(8):
        assert (reference.state.lreg[lreg] != other.state.lreg[lreg]).all()


def test_what_has_a_value_at_the_start_keeps_it() -> None:
    plain, junk = Tile(engine="reference"), Tile(engine="reference", junk=1)
    for lreg in (*CONSTANT_LREGS, 14, 15):
        assert (plain.state.lreg[lreg] == junk.state.lreg[lreg]).all()
    left = [n for n in plain.state.record.dtype.names if n not in (*FILLED, "lreg", "riscv")]
    for name in left:
        assert plain.state.record[name].tobytes() == junk.state.record[name].tobytes(), name
    assert junk.read(0x10, 4) == bytes(4)  # firmware's word, which throttles a matmul


def test_junk_in_dst_and_src_is_ordinary_numbers() -> None:
    state = Tile(engine="reference", junk=3).state
    as_bf16 = state.dst & 0x8000 | (state.dst & 0xFF) << 7 | state.dst >> 8 & 0x7F
    for bits in (as_bf16.astype(np.uint32) << 16, state.src_a, state.src_b, state.lreg[:8]):
        size = np.abs(np.ascontiguousarray(bits).view(np.float32))
        assert np.isfinite(size).all()
        assert size.min() >= 2.0**-12
        assert size.max() < 2.0**12


@pytest.mark.parametrize("clock", CLOCKS)
@pytest.mark.parametrize("seed", [0, 1, (1 << 64) - 1])
@pytest.mark.parametrize("name", ["matmul", "eltwise_add", "datacopy"])
def test_a_healthy_kernel_passes_with_any_junk(name: str, seed: int, clock: str) -> None:
    assert run_kernel(read_kernel_file(EXAMPLES / name), Tile(clock=clock, junk=seed)).passed


@pytest.mark.parametrize("program", [COPY_OF_DST, COPY_OF_LREG])
def test_a_program_that_reads_what_nothing_wrote_gives_other_results(program: str) -> None:
    left = []
    for engine in ENGINES:
        for seed in (1, 2):
            tile = Tile(engine=engine, junk=seed)
            run_program(assemble(program), tile, 1000)
            left.append(tile.state.dst.tobytes())
    assert left[0] == left[2]
    assert left[1] == left[3]
    assert left[0] != left[1]


@pytest.mark.parametrize("seed", [-1, 1 << 64])
def test_a_seed_that_is_none(seed: int) -> None:
    with pytest.raises(BadInputError, match="choose a seed from 0 to 0xffffffffffffffff"):
        Tile(junk=seed)
