"""What a core executes in advance, and a core that repeats itself, are seen by nobody.

Random programs of two tiles and a host run as they do on a chip in step, and on one whose cores are
stepped one instruction after the other in every clock.
"""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

import numpy as np
import pytest

from chip.random_programs import CLOCK, CLOCKS, CORES, DATA, A, Writer, act
from chip_program import BRISC, PLACES, SOFT_RESET, boot, keep
from riscv_program import INSTRN_BUF, T0, T1, T2, ZERO, addi, bne, li, load, lw, sw
from tilelab.chip import clocks
from tilelab.chip.chip import Chip
from tilelab.sim.errors import MachineError
from tilelab.sim.kernel import OK
from tilelab.tensix import ops
from tilelab.tensix.state import NOT_ARCHITECTURE
from tilelab.tensix.tables.tile_registers import LOCAL_RAM, LOCAL_RAM_APERTURES


def run(arch_name: str, engine: str, seed: int) -> tuple[list[bytes], Chip]:
    writer = Writer(seed, arch_name)
    chip = Chip(arch_name, PLACES[arch_name][:2], engine, in_step=True)
    for number, place in enumerate(PLACES[arch_name][:2]):
        boot(chip, place, {core: writer.program(core, number) for core in range(CORES)})
    seen: list[bytes] = []
    try:
        for _ in range(CLOCKS):
            chip.clock()
            if writer.random.random() < 0.08:
                act(chip, PLACES[arch_name], writer.random, seen)
    except MachineError as error:  # a core stopped within a request may ask for anything
        seen.append(str(error).encode())
    for place in PLACES[arch_name][:2]:
        chip.read(place, SOFT_RESET, 4)
    return seen, chip


@pytest.fixture
def plainly(monkeypatch: pytest.MonkeyPatch) -> Callable[[], AbstractContextManager[object]]:
    """Within this, the reference steps cores one instruction after the other in every clock."""

    @contextmanager
    def made() -> Iterator[None]:
        with monkeypatch.context() as patches:
            patches.setattr(clocks, "advance_privately", lambda *_: 0)
            patches.setattr(clocks, "watch", lambda *_: OK)
            yield

    return made


def assert_equal(one: Chip, two: Chip) -> None:
    """All that programs could tell of two chips is equal."""
    assert one.requests == two.requests
    for place, tile in one.tiles.items():
        state, other = tile.state, two.tiles[place].state
        assert (state.l1 == other.l1).all()
        for field in state.record.dtype.names or ():
            if not field.startswith(NOT_ARCHITECTURE):
                np.testing.assert_array_equal(state.record[field], other.record[field], field)


@pytest.mark.parametrize("name", ["blackhole", "wormhole"])
@pytest.mark.parametrize("seed", range(12))
def test_nobody_notices(name: str, seed: int, plainly) -> None:
    seen, fast = run(name, "fast", seed)
    with plainly():
        expected, plain = run(name, "reference", seed)
    assert seen == expected
    if not fast.c.problem:  # which stops a chip within a clock, with cores ahead of it
        assert_equal(fast, plain)


OWN_WORD = LOCAL_RAM_APERTURES + 0x4000
"""The first word of TRISC0's own RAM, as everybody reaches it."""
COUNTS = [*li(T0, LOCAL_RAM), addi(T1, ZERO, 0), sw(T1, T0), addi(T1, T1, 1), bne(T1, ZERO, -2)]
LOADREG = ops.TT_OP_LOADREG(8, (OWN_WORD - LOCAL_RAM) >> 2)
LOOKS = {
    "a core that polls": (BRISC, [*li(T0, OWN_WORD), lw(T2, T0), addi(T1, ZERO, 90),
                                  bne(T2, T1, -2), *keep(CLOCK, 0)]),
    "a core": (1, [*load(A, OWN_WORD), *li(T0, DATA), sw(A, T0)] * 5),
    "a thread": (1, [*li(T0, INSTRN_BUF), *li(T1, LOADREG), sw(T1, T0), *[addi(A, A, 1)] * 400]),
}  # fmt: skip


@pytest.mark.parametrize("who", LOOKS)
def test_a_look_at_what_counts_alone(who: str, plainly) -> None:
    """TRISC0 counts in its own RAM; whoever looks sees the number of that clock."""

    def made(engine: str) -> Chip:
        chip = Chip("blackhole", PLACES["blackhole"][:1], engine, in_step=True)
        core, program = LOOKS[who]
        boot(chip, PLACES["blackhole"][0], {0: COUNTS, core: program})
        for _ in range(300):
            chip.clock()
        chip.read(PLACES["blackhole"][0], SOFT_RESET, 4)
        return chip

    with plainly():
        plain = made("reference")
    assert_equal(made("fast"), plain)


def test_the_reference_does_it_too() -> None:
    """Run with the kernels as they stand, and compiled."""
    ends = []
    for engine in ("reference", "fast"):
        _, chip = run("blackhole", engine, 3)
        ends.append([int(chip.c.lead[k].until) for k in range(2 * CORES)])
    assert ends[0] == ends[1]
