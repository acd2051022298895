"""What a core executes in advance, and a core that repeats itself, are seen by nobody.

Random programs of two tiles, whose cores loop, poll each other's words, stop each other, push words
to threads and ask the NoC, run as they do on a chip in step and on one whose cores are stepped one
instruction after the other in every clock; a host reads, writes, stops and starts cores at random
clocks of both.
"""

import random
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager

import numpy as np
import pytest

from chip_program import (
    BRISC,
    INCREMENT,
    PLACES,
    READ,
    SOFT_RESET,
    WRITE,
    at,
    boot,
    keep,
    request,
)
from riscv_program import (
    INSTRN_BUF,
    RESET_BITS,
    T0,
    T1,
    T2,
    ZERO,
    addi,
    bne,
    li,
    load,
    lw,
    store,
    sw,
)
from tilelab.sim.errors import MachineError
from tilelab.sim.kernel import OK
from tilelab.tensix import ops
from tilelab.tensix.arch import arch
from tilelab.tensix.chip import clocks
from tilelab.tensix.chip.chip import Chip
from tilelab.tensix.chips.opcodes import DMANOP
from tilelab.tensix.state import NOT_ARCHITECTURE
from tilelab.tensix.tables.tile_registers import (
    LOCAL_RAM,
    LOCAL_RAM_APERTURES,
    PC_BUF,
    PC_SNAPSHOTS,
    SEMAPHORES,
)

FLAGS, DATA, CORES = 0x5000, 0x5800, 5
CLOCK, NCRISC = 0xFFB121F0, 4
A, B, COUNT = 10, 11, 12
CLOCKS = 600
FENCE = 0x0FF0000F
OR_A_B, AND_A_B = (A << 15 | B << 20 | what << 12 | A << 7 | 0x33 for what in (6, 7))


class Writer:
    """Writes random parts of programs for one chip."""

    def __init__(self, seed: int, chip: str) -> None:
        self.random = random.Random(seed)
        self.arch, self.places = arch(chip), PLACES[chip]

    def flag(self) -> int:
        return FLAGS + 4 * self.random.randrange(4)

    def own(self) -> int:
        return LOCAL_RAM + 4 * self.random.randrange(16)

    def aperture(self) -> int:
        """A word of somebody's own RAM, as everybody reaches it."""
        return LOCAL_RAM_APERTURES + 0x2000 * self.random.randrange(CORES) + (self.own() & 0xFFF)

    def alone(self) -> list[int]:
        """Nobody else notices this."""
        kinds = (
            lambda: [addi(A, B, self.random.randrange(100)), addi(B, A, -1)] * 3,
            lambda: [*li(T0, self.own()), sw(A, T0), lw(B, T0), addi(B, B, 1), sw(B, T0, 4)],
            lambda: [FENCE, addi(A, A, 1)],
            lambda: [*li(T0, self.own()), lw(B, T0), addi(B, B, 1), sw(B, T0), addi(B, ZERO, 0)],
        )
        return self.random.choice(kinds)()

    def loop(self, body: list[int]) -> list[int]:
        turns = self.random.randrange(2, 40)
        return [*li(COUNT, turns), *body, addi(COUNT, COUNT, -1), bne(COUNT, ZERO, -len(body) - 1)]

    def poll(self) -> list[int]:
        """Until a flag is not 0; some look at other things meanwhile, before or afterwards."""
        apertures = self.arch.local_ram_apertures and self.random.random() < 0.3
        body = [*li(T0, self.aperture() if apertures else self.flag()), lw(T2, T0)]
        for _ in range(self.random.randrange(3)):
            kinds = (self.alone, lambda: load(A, self.own()), lambda: load(A, self.flag()))
            other = self.random.choice(kinds)()
            body = [*body, *other] if self.random.random() < 0.5 else [*other, *body]
        return [*body, FENCE, self.back(len(body) + 1)]

    def back(self, words: int) -> int:
        """Branch back if T2 is 0."""
        return bne(T2, ZERO, -words) & ~(7 << 12)

    def shared(self) -> list[int]:
        """Others may notice this."""
        kinds = (
            lambda: store(self.flag(), self.random.randrange(1, 3)),
            lambda: [*load(A, self.flag()), *li(T0, DATA), sw(A, T0)],
            lambda: [*load(B, CLOCK), *li(T0, DATA + 4), sw(B, T0)],
            lambda: load(A, DATA + 4 * self.random.randrange(8)),
        )
        if self.arch.local_ram_apertures:
            kinds += (
                lambda: load(A, self.aperture()),
                lambda: [*li(T0, self.aperture()), sw(A, T0)],
                lambda: load(A, PC_SNAPSHOTS + 4 * self.random.randrange(CORES)),
            )
        return self.random.choice(kinds)()

    def of_core(self, core: int, place: int) -> list[int]:
        """What only some cores can do."""
        if core < BRISC:
            word = self.random.choice(
                (DMANOP << 24, ops.TT_OP_SEMPOST(1), ops.TT_OP_SEMPOST(1), ops.TT_OP_SEMGET(1))
            )
            if self.arch.local_ram_apertures and self.random.random() < 0.4:
                word = ops.TT_OP_LOADREG(8, (self.aperture() - LOCAL_RAM) >> 2)
            body = [*li(T0, PC_BUF + SEMAPHORES), lw(T2, T0), *self.alone(), *self.alone()]
            kinds = (
                [*li(T0, INSTRN_BUF), *li(T1, word), sw(T1, T0)],
                [*body, self.back(len(body))],
                [*li(T0, PC_BUF + SEMAPHORES), *li(T1, 0), sw(T1, T0), lw(A, T0)],
                load(A, PC_BUF + SEMAPHORES),
            )
            return self.random.choice(kinds)
        if core == BRISC and self.random.random() < 0.4:
            stopped = 1 << RESET_BITS[self.random.choice((0, 1, 2, NCRISC))]
            stop = [*load(A, SOFT_RESET), *li(B, stopped), OR_A_B, *li(T0, SOFT_RESET), sw(A, T0)]
            start = [*li(B, ~stopped & 0xFFFFFFFF), AND_A_B, *li(T0, SOFT_RESET), sw(A, T0)]
            return [*stop, *self.alone(), *load(A, SOFT_RESET), *start]
        other, own = at(self.places[1 - place]), at(self.places[place])
        return self.random.choice((
            request(self.arch, READ, (DATA, other), (DATA, own), 16),
            request(self.arch, WRITE, (DATA, own), (FLAGS, other), 16),
            request(self.arch, 0x2091, (self.flag(), other), (DATA, own), INCREMENT, 1),
        ))  # fmt: skip

    def program(self, core: int, place: int) -> list[int]:
        words: list[int] = []
        for _ in range(self.random.randrange(2, 7)):
            kinds = (
                lambda: self.loop(self.alone()),
                lambda: self.loop([*self.alone(), *self.shared()]),
                self.poll,
                self.shared,
                lambda: self.of_core(core, place),
            )
            words += self.random.choice(kinds)()
        return words


def act(chip: Chip, choice: random.Random, seen: list[bytes]) -> None:
    """Something that a host does."""
    place = PLACES[chip.arch.name][choice.randrange(2)]
    flag = FLAGS + 4 * choice.randrange(4)
    what = choice.randrange(5)
    if what == 0:
        chip.write(place, flag, choice.randrange(3).to_bytes(4, "little"))
    elif what == 1:
        seen.append(chip.read(place, FLAGS, 64))
    elif what == 2:
        seen.append(chip.read(place, SOFT_RESET, 4))
    elif what == 3:
        bits = 1 << RESET_BITS[choice.randrange(CORES)]
        value = int.from_bytes(chip.read(place, SOFT_RESET, 4), "little") ^ bits
        chip.write(place, SOFT_RESET, value.to_bytes(4, "little"))


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
                act(chip, writer.random, seen)
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
