"""Random programs for the cores of two tiles, and what a host does meanwhile.

Cores loop, poll each other's words, stop each other, push words to threads and ask the NoC; a host
reads, writes, stops and starts cores at random clocks.
"""

import random

from chip_program import (
    ATOMIC,
    BRISC,
    INCREMENT,
    PLACES,
    READ,
    SOFT_RESET,
    WRITE,
    Device,
    at,
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
from tilelab.riscv.table import RV32
from tilelab.tensix import ops
from tilelab.tensix.arch import arch
from tilelab.tensix.chips.opcodes import DMANOP, NOP
from tilelab.tensix.tables.layout import Place
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
FENCE, NO_FENCE = 0x0FF0000F, addi(ZERO, ZERO, 0)
OR_A_B, AND_A_B = (RV32.word(name, A, A, B) for name in ("or", "and"))


class Writer:
    """Writes random parts of programs for one chip.

    ``common``: only what the vendor's simulator does too, which has no apertures, no FENCE on
    Wormhole, counts in the first of four words, and ends where a semaphore is asked for that has
    nothing.
    """

    def __init__(self, seed: int, chip: str, common: bool = False) -> None:
        self.random = random.Random(seed)
        self.arch, self.places = arch(chip), PLACES[chip]
        self.apertures = self.arch.local_ram_apertures and not common
        self.fence = NO_FENCE if common and chip == "wormhole" else FENCE
        self.counters = 1 if common else 4
        self.words = (DMANOP << 24, ops.TT_OP_SEMPOST(1), ops.TT_OP_SEMPOST(1))
        self.words += (NOP << 24 if common else ops.TT_OP_SEMGET(1),)

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
            lambda: [self.fence, addi(A, A, 1)],
            lambda: [*li(T0, self.own()), lw(B, T0), addi(B, B, 1), sw(B, T0), addi(B, ZERO, 0)],
        )
        return self.random.choice(kinds)()

    def loop(self, body: list[int]) -> list[int]:
        turns = self.random.randrange(2, 40)
        return [*li(COUNT, turns), *body, addi(COUNT, COUNT, -1), bne(COUNT, ZERO, -len(body) - 1)]

    def poll(self) -> list[int]:
        """Until a flag is not 0; some look at other things meanwhile, before or afterwards."""
        apertures = self.apertures and self.random.random() < 0.3
        body = [*li(T0, self.aperture() if apertures else self.flag()), lw(T2, T0)]
        for _ in range(self.random.randrange(3)):
            kinds = (self.alone, lambda: load(A, self.own()), lambda: load(A, self.flag()))
            other = self.random.choice(kinds)()
            body = [*body, *other] if self.random.random() < 0.5 else [*other, *body]
        return [*body, self.fence, self.back(len(body) + 1)]

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
        if self.apertures:
            kinds += (
                lambda: load(A, self.aperture()),
                lambda: [*li(T0, self.aperture()), sw(A, T0)],
                lambda: load(A, PC_SNAPSHOTS + 4 * self.random.randrange(CORES)),
            )
        return self.random.choice(kinds)()

    def of_core(self, core: int, place: int) -> list[int]:
        """What only some cores can do."""
        if core < BRISC:
            word = self.random.choice(self.words)
            if self.apertures and self.random.random() < 0.4:
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
        which = INCREMENT | self.random.randrange(self.counters)
        return self.random.choice((
            request(self.arch, READ, (DATA, other), (DATA, own), 16),
            request(self.arch, WRITE, (DATA, own), (FLAGS, other), 16),
            request(self.arch, ATOMIC, (FLAGS, other), (DATA, own), which, 1),
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


def act(chip: Device, places: tuple[Place, ...], choice: random.Random, seen: list[bytes]) -> None:
    """Something that a host does with one of two tiles."""
    place = places[choice.randrange(2)]
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
