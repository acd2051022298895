"""A loop in which a core waits for the clock: until when it goes the same way.

Such a loop is noted from its first look at the clock on, once through. What it makes of the clock
is followed from register to register: one that holds the clock, or a number more or less, *moves*,
by one in each round. Only comparisons may tell where it has got to, and each says when it may turn
out another way. Up to then the loop goes as it was seen to go, and leaves the same in all registers
but those that it sets before it looks at them. Whatever else is done with a moving register makes a
loop one that cannot be left alone.
"""

from typing import Final

from tilelab.riscv.fields import (
    Major,
    access_bytes,
    funct3,
    function,
    i_immediate,
    major,
    rd,
    rs1,
    rs2,
)
from tilelab.riscv.table import READS_RS1, READS_RS2, RV32, SETS_RD
from tilelab.sim.kernel import OK, WORD, kernel
from tilelab.tensix.riscv.debug_hardware import LOADS
from tilelab.tensix.state.records import State
from tilelab.tensix.tables.tile_registers import (
    DEBUG_REGISTERS,
    WALL_CLOCK_H,
    WALL_CLOCK_HIGH_NOW,
    WALL_CLOCK_L,
)

LOW: Final = DEBUG_REGISTERS + WALL_CLOCK_L
HIGH_NOW: Final = DEBUG_REGISTERS + WALL_CLOCK_HIGH_NOW
HIGH: Final = DEBUG_REGISTERS + WALL_CLOCK_H
NUMBERS: Final = WORD + 1
SIGN: Final = 1 << 31
WORD_BYTES: Final = 4
ADD, SLT, SLTU, SUB = (function(RV32.rows[name].match) for name in ("add", "slt", "sltu", "sub"))
UNSIGNED_BRANCH: Final = funct3(RV32.rows["bltu"].match)
"""From here on, branches compare numbers without a sign."""


@kernel
def looks_at_clock(s: State, core: int, kind: int, address: int, word: int) -> int:
    """Whether an instruction loads the clock: half of it, or the half that such a load kept."""
    if kind != LOADS or access_bytes(word) != WORD_BYTES:
        return 0
    if address == HIGH:
        return s.poll[core].clocked
    return 1 if address == LOW or address == HIGH_NOW else 0


@kernel
def begin_clocked(s: State, core: int) -> int:
    """Begin to follow the clock: a core's next instruction looks at it."""
    poll = s.poll[core]
    poll.clocked = 1
    poll.moving = 0
    poll.set = 0
    poll.used = 0
    poll.until = (s.clock | WORD) + 1  # the high half changes
    return OK


@kernel
def follow_load(s: State, core: int, address: int, word: int) -> int:
    """Follow a load of the clock: 1, or 2 if it counts as an effect for the core."""
    poll = s.poll[core]
    bit = 1 << rd(word)
    poll.used |= 1 << rs1(word) & ~poll.set
    poll.set |= bit
    poll.moving &= ~bit
    if address == LOW:
        poll.moving |= bit & ~1
    return 1 if address == HIGH else 2


@kernel
def follow(s: State, core: int, word: int) -> int:
    """Follow the clock through another instruction: whether that is possible."""
    poll = s.poll[core]
    opcode = major(word)
    bit = 1 << rd(word)
    one = 1 << rs1(word) if READS_RS1[opcode] else 0
    two = 1 << rs2(word) if READS_RS2[opcode] else 0
    poll.used |= (one | two) & ~poll.set
    goes_on = 1
    moves = 0
    if poll.moving & (one | two):
        goes_on, moves = follow_moving(s, core, word, poll.moving & one, poll.moving & two)
    if SETS_RD[opcode]:
        poll.set |= bit
        poll.moving &= ~bit
        if moves:
            poll.moving |= bit & ~1
    return goes_on


@kernel
def follow_moving(s: State, core: int, word: int, one: int, two: int) -> tuple[int, int]:
    """Follow the clock through an instruction that reads it: whether that is possible, and whether
    the result moves.

    ``one`` and ``two``: whether its first and its second register move.
    """
    opcode = major(word)
    if opcode == Major.BRANCH:
        compare(s, core, word, 0 if funct3(word) >= UNSIGNED_BRANCH else SIGN)
        return 1, 0
    if opcode != Major.IMMEDIATE and opcode != Major.REGISTER:
        return 0, 0
    if rd(word) == 0:
        return 1, 0
    what = function(word) if opcode == Major.REGISTER else funct3(word)
    if what == SLT or what == SLTU:
        compare(s, core, word, 0 if what == SLTU else SIGN)
        return 1, 0
    if what == ADD and not (one and two):
        return 1, 1
    if what == SUB and one:
        return 1, 0 if two else 1
    return 0, 0


@kernel
def compare(s: State, core: int, word: int, sign: int) -> int:
    """Note until when a comparison, at which a core is, goes the same way; ``sign``: SIGN or 0."""
    poll = s.poll[core]
    x = s.riscv[core].x
    one = x[rs1(word)] ^ sign
    moves = poll.moving >> rs1(word) & 1
    moves_too = 0
    if major(word) == Major.IMMEDIATE:
        two = i_immediate(word) ^ sign
    else:
        two = x[rs2(word)] ^ sign
        moves_too = poll.moving >> rs2(word) & 1
    if moves and moves_too:
        rounds = NUMBERS - max(one, two)
    elif moves:
        rounds = rounds_to_meet(one, two)
    else:
        rounds = rounds_to_meet(two, one)
    poll.until = min(poll.until, s.clock + rounds)
    return OK


@kernel
def rounds_to_meet(moving: int, other: int) -> int:
    """Rounds until a number that counts up gets to another, past it, or back to 0."""
    if moving < other:
        return other - moving
    return 1 if moving == other else NUMBERS - moving


@kernel
def load_clock(s: State, core: int, word: int, address: int, clock: int) -> int:
    """Execute a load of the clock as at another clock: whether the instruction is one."""
    hart = s.riscv[core]
    if address == LOW:
        hart.x[rd(word)] = clock & WORD
        s.debug_register[WALL_CLOCK_H >> 2] = clock >> 32
    elif address == HIGH_NOW:
        hart.x[rd(word)] = clock >> 32
    else:
        return 0
    hart.x[0] = 0
    hart.pc += 4
    hart.retired += 1
    return 1
