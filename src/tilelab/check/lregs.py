"""What the checker does about the vector unit's registers: are they written, in time, and whose?

All threads have one set of LRegs, constants and macros between them (VectorUnit.md).
"""

from typing import Final

from tilelab.check import places
from tilelab.check.accesses import report, report_of, unknown
from tilelab.check.knowledge import acts, note, note_take
from tilelab.check.shadow import ACT, TAKEN, TAKES
from tilelab.check.view import Checking
from tilelab.check.watch import Watch
from tilelab.sim.errors import NonContractualBehaviorError, UnpredictableValueUsedError
from tilelab.sim.kernel import kernel
from tilelab.tensix.backend.vector_unit import load_macro, load_macro_results
from tilelab.tensix.backend.vector_unit.lreg import ALL_LANES
from tilelab.tensix.backend.vector_unit.moves import SHFLROR1_AND_COPY4
from tilelab.tensix.chips.opcodes import SFPCONFIG, SFPLOADI, SFPSHFT2, SFPSTORE
from tilelab.tensix.run import rounds
from tilelab.tensix.state.layout import THREADS
from tilelab.tensix.tables.figures import VECTOR_PIPE
from tilelab.tensix.tables.units import SubUnit

WATCH = Watch("LRegs")
CONSTANT_LREGS: Final = 0xFFFFFF00
LREGS: Final = 17
"""How many LRegs there are."""
CAN_BE_NAMED: Final = 0xFF
"""LRegs that can be a result; what goes to others is dropped."""
HALVES: Final = (8, 10)
"""SFPLOADI's modes that set the upper half alone, or the lower one."""
PROGRAMMED: Final = (11, 12, 13, 14)
"""Constants among the LRegs that SFPCONFIG sets."""

WATCH.field("lreg_written", "<u4")  # bit per LReg
WATCH.field("lreg_halves", "<u4", (2,))  # bit per LReg of which but this half was ever set
WATCH.field("late_registers", "<u4")  # bit per LReg that the vector unit's last word writes late
WATCH.field("late_port", "<u1")  # whether that word would take a cycle with other modifiers
WATCH.field("late_thread", "<u4")
WATCH.field("late_issue", "<u8")
WATCH.field("late_act", ACT)
# of the constants that SFPCONFIG sets: who did last, and before; what that one had set
WATCH.field("constant_setter", "<u8", (16,))
WATCH.field("constant_before", "<u8", (16,))
WATCH.field("constant_was", "<u4", (16,))
WATCH.field("constant_taken", TAKES, (TAKEN,))  # places that read what was set anew
WATCH.field("lanes_taken", TAKES, (TAKEN,))  # and that compute with lanes off
WATCH.field("macro", ACT)  # the last SFPLOADMACRO
# LRegs, then what SFPCONFIG sets beside them: marks of the last write, of each thread's last read
WATCH.field("lreg_writer", "<u8", (LREGS + 16,))
WATCH.field("lreg_reader", "<u8", (LREGS + 16, THREADS))


def lregs(tile: places.Noted, value: int) -> str:
    """Some LRegs, a bit each."""
    return ", ".join(f"LReg[{i}]" for i in range(17) if value >> i & 1)


CONSTANT_TAKEN: Final = WATCH.rule(
    "constant-taken",
    NonContractualBehaviorError,
    "reads {where}",
    "set it since",
    "tt-metal#42628",
    "use another constant register, or call the init again before the function",
)
LANES_OFF: Final = WATCH.rule(
    "lanes-off",
    NonContractualBehaviorError,
    "computes with {where}",
    "switched them off, and has returned",
    "SFPENCC.md",
    "SFPENCC with immediate 3 and modifier 10, or as many SFPPOPC as SFPPUSHC, at that one's end",
)
UNINIT_LREG: Final = WATCH.rule(
    "uninit-lreg",
    UnpredictableValueUsedError,
    "reads {where}, which nothing has written since the start",
    "",
    "LReg.md",
    "load the register first (SFPLOAD, SFPLOADI)",
    place=lregs,
    unwritten=True,
)
SFPU_LATENCY: Final = WATCH.rule(
    "sfpu-latency",
    NonContractualBehaviorError,
    "reads {where} in the cycle in which its result is not there yet",
    "computes it in two cycles",
    "SFPMAD.md",
    "put an SFPNOP between the two",
    place=lregs,
)
SFPU_PORT: Final = WATCH.rule(
    "sfpu-port",
    NonContractualBehaviorError,
    "writes {where} in the cycle in which a shuffle of lanes writes its result",
    "shuffles lanes",
    "SFPSHFT2.md",
    "put an SFPNOP behind the shuffle",
    place=places.number("LReg[{}]"),
)


def shared(tile: places.Noted, value: int) -> str:
    """An LReg, or what SFPCONFIG sets beside them."""
    return f"LReg[{value}]" if value < LREGS else f"what SFPCONFIG sets at {value - LREGS}"


RACE_LREG: Final = WATCH.rule(
    "race-lreg",
    NonContractualBehaviorError,
    "uses {where} with nothing that orders it behind the other thread's use",
    "used it",
    "VectorUnit.md",
    "let one thread at a time use the vector unit: hand it over by a semaphore, and let the post "
    "wait for the unit (tt-metal#50399)",
    place=shared,
)


@kernel
def takes_constant(s: Checking, register: int) -> None:
    """A constant is read that was set anew to another value: note who set it, and who before."""
    c = s.shadow
    before = c.constant_before[register]
    if before and s.vector.lreg[register, 0] != c.constant_was[register]:
        note_take(s, c.constant_taken, register, c.constant_setter[register], before)


@kernel
def reads_lreg(s: Checking, t: int, register: int) -> None:
    """A vector instruction reads a register that all threads share."""
    c = s.shadow
    if unknown(s, c.lreg_writer[register]):
        report(s, RACE_LREG, register, c.lreg_writer[register])
    if register in PROGRAMMED:
        takes_constant(s, register)
    c.lreg_reader[register, t] = c.mark


@kernel
def writes_lreg(s: Checking, t: int, register: int) -> None:
    """A vector instruction, or SFPCONFIG, writes one."""
    c = s.shadow
    if unknown(s, c.lreg_writer[register]):
        report(s, RACE_LREG, register, c.lreg_writer[register])
    for other in range(THREADS):
        if other != t and unknown(s, c.lreg_reader[register, other]):
            report(s, RACE_LREG, register, c.lreg_reader[register, other])
    c.lreg_writer[register] = c.mark


@kernel
def registers_read(s: Checking, word: int) -> int:
    """Bit per LReg that a vector instruction reads, by its row's columns."""
    opcode = word >> 24
    named = s.arch.timing.reads[opcode]
    for nibble in range(3):
        named |= (s.arch.timing.reads_modes[opcode] >> 16 * nibble + (word & 15) & 1) << nibble + 1
    return named_by(word, named)


@kernel
def named_by(word: int, nibbles: int) -> int:
    """Bit per LReg that some nibbles of a word name."""
    result = 0
    for nibble in range(6):
        if nibbles >> nibble & 1:
            result |= 1 << (word >> 4 * nibble & 15)
    return result


@kernel
def awaited(s: Checking, word: int) -> int:
    """Bit per LReg whose late result the hardware lets a vector instruction wait for."""
    opcode = word >> 24
    if (
        not s.arch.timing.vector_interlock
        or not s.arch.timing.stall_modes[opcode] >> (word & 15) & 1
    ):
        return 0
    always: int = s.arch.timing.stall_always[opcode]
    return always | named_by(word, s.arch.timing.stalling[opcode])


@WATCH.at(load_macro.load_macro)
@kernel
def schedules(
    s: Checking, t: int, macro: int, vd: int, mod0: int, addr_mode: int, imm10: int
) -> None:
    """An SFPLOADMACRO loads a register, and schedules words for the cycles behind it."""
    note(s, s.shadow.macro)
    s.shadow.lreg_written |= 1 << vd


@WATCH.at(load_macro_results.run_late)
@kernel
def runs_late(s: Checking, unit: int, word: int, operands: int) -> None:
    """What an SFPLOADMACRO scheduled is executed: its result will have been written."""
    if unit != SubUnit.STORE:
        s.shadow.lreg_written |= 1 << (operands >> 16 & 31)


@WATCH.at(rounds.idle_vector_unit)
@kernel
def runs_scheduled(s: Checking) -> None:
    """In a cycle without a vector instruction it is the last SFPLOADMACRO's words that act."""
    macro = s.shadow.macro
    acts(s, macro.mark & 3, VECTOR_PIPE, macro.mark, macro.word, macro.origin)


@kernel
def shuffles(s: Checking, word: int) -> int:
    """Whether a vector instruction writes late because of its modifier."""
    modes: int = s.arch.timing.late_modes[word >> 24]
    return modes >> (word & 15) & 1


@kernel
def results_late(s: Checking, t: int, word: int) -> None:
    """Note what a vector instruction will have written a cycle after others."""
    c = s.shadow
    opcode = word >> 24
    c.late_registers = 0
    c.late_port = shuffles(s, word)
    result = s.arch.timing.result[opcode]
    # until an SFPSWAP is through, the unit takes no other instruction
    slow = s.arch.timing.latency[opcode] > s.arch.timing.interval[opcode]
    if result and (slow or c.late_port):
        copies = opcode == SFPSHFT2 and word & 15 == SHFLROR1_AND_COPY4  # to LReg[0] to [3]
        c.late_registers = 15 if copies else CAN_BE_NAMED & 1 << (word >> result & 15)
        c.late_thread = t
        c.late_issue = c.issued[t]
        note(s, c.late_act)


@kernel
def sets_halves(s: Checking, word: int, register: int) -> None:
    """A vector word writes a register, named by its bit; SFPLOADI maybe only a half of it."""
    c = s.shadow
    mode = SFPLOADI.instr_mod0(word)
    half = word >> 24 == SFPLOADI and mode in HALVES
    for which in range(2):
        if half and not c.lreg_written & register and mode == HALVES[which]:
            c.lreg_halves[which] |= register
        elif not half or mode != HALVES[which]:
            c.lreg_halves[which] &= ~register
    c.lreg_written |= register


@WATCH.word
@kernel
def vector_word(s: Checking, t: int, word: int) -> None:
    """A vector instruction is about to be executed: what it reads must be there."""
    c = s.shadow
    opcode = word >> 24
    if not rounds.is_vector(s, word):
        return
    if s.vector.lane_flags == ALL_LANES or not s.vector.use_lane_flags:
        note(s, c.lanes_on)
    elif s.arch.timing.writes[opcode] or opcode == SFPSTORE:
        note_take(s, c.lanes_taken, 0, c.lanes_on.origin, 0)
    read = registers_read(s, word)
    if opcode == SFPCONFIG and (not word & 1 or (word >> 4 & 15) < 4):
        read |= 1
    missing = read & ~(c.lreg_written & ~c.lreg_halves[0] & ~c.lreg_halves[1] | CONSTANT_LREGS)
    if missing:
        report(s, UNINIT_LREG, missing, 0)
    if c.late_registers and c.late_thread == t and c.issued[t] == c.late_issue + 1:
        early = c.late_registers & read & ~awaited(s, word)
        if early:
            report_of(s, SFPU_LATENCY, early, c.late_act)
        if c.late_port and s.arch.timing.at_once[opcode] and not shuffles(s, word):
            report_of(s, SFPU_PORT, word >> 4 & 15, c.late_act)
    results_late(s, t, word)
    writes = s.arch.timing.writes[opcode]
    for nibble in range(6):
        if s.arch.timing.reads[opcode] >> nibble & 1:
            reads_lreg(s, t, word >> 4 * nibble & 15)
        if writes >> nibble & 1:
            sets_halves(s, word, 1 << (word >> 4 * nibble & 15))
            writes_lreg(s, t, word >> 4 * nibble & 15)
    if opcode == SFPCONFIG:
        c.lreg_written |= 1 << (word >> 4 & 15)
        at = word >> 4 & 15
        if at in PROGRAMMED:
            c.constant_was[at] = s.vector.lreg[at, 0]
            c.constant_before[at] = c.constant_setter[at]
            c.constant_setter[at] = c.origin
        writes_lreg(s, t, at if at in PROGRAMMED else LREGS + at)
