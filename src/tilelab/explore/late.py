"""Results that are there late: kernels for what the matrix and the vector unit still have to do.

A word's effects are there when it is issued, but for what other units, or the next word, may look
at too early in hardware:

- The matrix unit turns to the other Src bank, and gives the one before back, as a word leaves its
  pipeline (the end of ELWMUL.md's functional model; tt-metal#55106). Its own words wait for that,
  a STALLWAIT on a bank without the matrix unit does not. This is so in every schedule; in one of
  the class *ISA only* it may take longer still, until what the documents put in order behind it.
- What it writes to Dst is not there for SFPLOAD for some cycles (SFPLOAD.md); its own words and
  packers that read that are stalled (Dst.md).
- On Wormhole the next word reads the old LReg where the vector unit takes two cycles (SFPMAD.md).

The latter two are held back for words that a schedule names; the scalar unit's see :mod:`.engine`.
"""

from typing import Final

from tilelab.explore.plan import DST_ROWS, FIRST_RESULT, LREGS, POINTS
from tilelab.explore.view import Exploring
from tilelab.sim.kernel import OK, kernel, lanes
from tilelab.tensix.backend.src_registers import SRCS, keeps_src, turn_bank
from tilelab.tensix.chips.opcodes import INCRWC, MOVB2A, MOVD2A, MOVD2B, SETRWC, STALLWAIT, ZEROACC
from tilelab.tensix.run.rounds import is_vector, quiet
from tilelab.tensix.tables.figures import MATRIX_PIPE, PACK_PIPE, VECTOR_PIPE

STALL_CONDITIONS: Final = 0x7FFF
NO_BANK: Final = (SETRWC, INCRWC, ZEROACC)
"""The matrix unit's words that look at no bank (SETRWC may turn to another one)."""
WRITES_BLINDLY: Final = (MOVD2A, MOVB2A, MOVD2B)
"""Those that do not wait for the bank that they write (MOVD2A.md, MOVB2A.md, MOVD2B.md)."""
NOTHING, OF_DST, OF_LREGS = 0, 1, 2
"""What is held back."""


@kernel
def drains(s: Exploring, word: int, pipe: int) -> int:
    """Whether a word is a STALLWAIT on a pipeline."""
    if word >> 24 != STALLWAIT:
        return 0
    mask = word & STALL_CONDITIONS
    if mask == 0:
        mask = s.arch.default_condition_mask
    for bit in range(s.arch.condition_bits):
        if mask >> bit & 1 and s.arch.timing.conditions[bit] == pipe:
            return 1
    return 0


@kernel
def settles(s: Exploring, t: int, word: int) -> None:
    """A word is about to be issued: bring about what it waits for in hardware."""
    p = s.plan
    opcode = word >> 24
    pipe = s.arch.timing.pipe[opcode]
    if p.turning:
        own = p.turn_thread == t and drains(s, word, MATRIX_PIPE)
        if own or (pipe == MATRIX_PIPE and opcode not in NO_BANK):
            turns_banks(s)
    if p.holding == OF_DST:
        reads = pipe == PACK_PIPE or (pipe == MATRIX_PIPE and s.arch.timing.dst_use[opcode])
        if reads or (p.hold_thread == t and drains(s, word, MATRIX_PIPE)):
            lets_go(s)
    elif p.holding and p.hold_thread == t and drains(s, word, VECTOR_PIPE):
        lets_go(s)


@kernel
def time_passes(s: Exploring) -> None:
    """A round ends: what was held back long enough comes about, all of it if nothing else will."""
    p = s.plan
    if p.turning:
        p.turn_left -= 1
        if p.turn_left == 0 or quiet(s):
            turns_banks(s)
    if p.holding:
        p.hold_left -= 1
        if p.hold_left == 0 or quiet(s):
            lets_go(s)


# ------------------------------------------------------------------ banks


@kernel
def clears_src(s: Exploring, t: int, clear: int) -> int:
    """What stands for the matrix unit's own kernel: banks are turned when the word is through."""
    p = s.plan
    if not clear:
        return OK
    turns_banks(s)
    p.turns += 1
    left = p.rounds_late
    if p.slow:
        latency = s.arch.timing.latency[s.frontend[t].gate_word >> 24]
        left = max(left, latency, s.arch.timing.bank_turned, p.turns_late)
    for which in SRCS:
        if clear >> which & 1:
            p.turning = p.turning | 1 << which | keeps_src(s, t, which) << 2 + which
    p.turn_left = left
    p.turn_thread = t
    return OK if left else turns_banks(s)


@kernel
def turns_banks(s: Exploring) -> int:
    """Turn to the other banks now, where that was held back."""
    p = s.plan
    turning = p.turning
    p.turning = 0
    for which in SRCS:
        if turning >> which & 1:
            turn_bank(s, which, turning >> 2 + which & 1)
    return OK


@kernel
def is_of_unpackers(s: Exploring, word: int) -> int:
    """Whether the Src bank that a word writes, without waiting for it, is the unpackers' now."""
    src = s.src[1 if word >> 24 == MOVD2B else 0]
    return 0 if src.valid[src.matrix_bank] else 1


@kernel
def notes_bank(s: Exploring, t: int, word: int) -> None:
    """Note a word that has written a Src bank of the unpackers'."""
    p = s.plan
    if p.not_owned == 0:
        p.not_owned_word = word
        p.not_owned_origin = s.frontend[t].gate_origin
    p.not_owned += 1


# ------------------------------------------------------------------ Dst, LRegs


@kernel
def remembers(s: Exploring, matrix: int) -> None:
    """Keep what Dst, or the LRegs, hold before a word whose result is to be late."""
    p = s.plan
    lets_go(s)
    if not matrix:
        for register in range(LREGS):
            for lane in lanes(32):
                p.lreg[register, lane] = s.vector.lreg[register, lane]
        return
    for row in range(DST_ROWS):
        p.dst_valid[row] = s.dst_valid[row]
        for column in lanes(16):
            p.dst[row, column] = s.dst[row, column]


@kernel
def holds_back(s: Exploring, t: int, matrix: int, rounds: int) -> None:
    """Put back what was there before the word that was just executed, and keep its result."""
    p = s.plan
    p.hold_left = rounds
    p.hold_thread = t
    if not matrix:
        p.holding = OF_LREGS
        for register in range(LREGS):
            changed = 0
            for lane in lanes(32):
                changed |= p.lreg[register, lane] ^ s.vector.lreg[register, lane]
            p.changed[register] = 1 if changed else 0
            for lane in lanes(32):
                new = s.vector.lreg[register, lane]
                s.vector.lreg[register, lane] = p.lreg[register, lane]
                p.lreg[register, lane] = new
        return
    p.holding = OF_DST
    for row in range(DST_ROWS):
        changed = p.dst_valid[row] ^ s.dst_valid[row]
        for column in lanes(16):
            changed |= p.dst[row, column] ^ s.dst[row, column]
        p.changed[row] = 1 if changed else 0
        if changed:
            valid = s.dst_valid[row]
            s.dst_valid[row] = p.dst_valid[row]
            p.dst_valid[row] = valid
            for column in lanes(16):
                new = s.dst[row, column]
                s.dst[row, column] = p.dst[row, column]
                p.dst[row, column] = new


@kernel
def lets_go(s: Exploring) -> None:
    """What was held back is there."""
    p = s.plan
    if p.holding == OF_LREGS:
        for register in range(LREGS):
            if p.changed[register]:
                for lane in lanes(32):
                    s.vector.lreg[register, lane] = p.lreg[register, lane]
    elif p.holding == OF_DST:
        for row in range(DST_ROWS):
            if p.changed[row]:
                s.dst_valid[row] = p.dst_valid[row]
                for column in lanes(16):
                    s.dst[row, column] = p.dst[row, column]
    p.holding = NOTHING


# ------------------------------------------------------------------ which words' results matter


@kernel
def notes_reader(s: Exploring, word: int) -> None:
    """A vector word is about to be issued: note the words whose results it may be too early for."""
    p = s.plan
    if not is_vector(s, word):
        return
    for unit in range(2):
        made = p.made[unit]
        since = s.clock - made.clock
        if made.word and since <= made.reach and p.points < POINTS:
            new = p.point[p.points]
            new.actor = FIRST_RESULT + made.thread
            new.at = made.at
            new.word = made.word
            new.origin = made.origin
            p.points += 1
            made.word = 0


@kernel
def notes_result(s: Exploring, t: int, word: int) -> None:
    """A word was issued: whether its result may be late is seen when the next ones are."""
    p = s.plan
    opcode = word >> 24
    pipe = s.arch.timing.pipe[opcode]
    # a unit that takes no other word until the result is there needs no care
    shuffles = s.arch.timing.late_modes[opcode] >> (word & 15) & 1
    reach = max(shuffles, s.arch.timing.latency[opcode] - s.arch.timing.interval[opcode])
    if drains(s, word, MATRIX_PIPE):
        p.made[0].word = 0
    if reach == 0 or pipe not in (MATRIX_PIPE, VECTOR_PIPE):
        return
    if pipe == VECTOR_PIPE and s.arch.timing.vector_interlock and not shuffles:
        return
    made = p.made[pipe - MATRIX_PIPE]
    made.word = word
    made.origin = s.frontend[t].gate_origin
    made.at = s.frontend[t].issued
    made.thread = t
    made.clock = s.clock
    made.reach = min(reach, s.arch.timing.dst_read_gap)
