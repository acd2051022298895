"""What the checker does about the vector unit's registers: are they written, in time, and whose?

All threads have one set of LRegs, constants and macros between them (VectorUnit.md).
"""

from typing import Final

from tilelab.check import places
from tilelab.check.accesses import report, report_of, unknown
from tilelab.check.knowledge import note
from tilelab.check.shadow import ACT, ACTOR_MASK, GROUP_OF_PIPE
from tilelab.check.view import Checking
from tilelab.check.watch import Watch
from tilelab.sim.errors import NonContractualBehaviorError, UnpredictableValueUsedError
from tilelab.sim.kernel import kernel
from tilelab.tensix.backend.vector_unit import load_macro
from tilelab.tensix.backend.vector_unit.lreg import ALL_LANES
from tilelab.tensix.chips.opcodes import SFPCONFIG
from tilelab.tensix.run import rounds
from tilelab.tensix.state.layout import THREADS
from tilelab.tensix.tables.figures import VECTOR_PIPE

WATCH = Watch("LRegs")
CONSTANT_LREGS: Final = 0xFFFFFF00
LREGS: Final = 17
"""How many LRegs there are."""
WRITTEN: Final = 8
"""So many of them can be named as a result; what goes to others is dropped."""
PROGRAMMED: Final = (11, 12, 13, 14)
"""Constants among the LRegs that SFPCONFIG sets."""

WATCH.field("lreg_written", "<u4")  # bit per LReg
WATCH.field("late_register", "<u4")  # 1 + the LReg that the vector unit's last word writes late
WATCH.field("late_thread", "<u4")
WATCH.field("late_issue", "<u8")
WATCH.field("late_act", ACT)
WATCH.field("macro", ACT)  # the last SFPLOADMACRO
# LRegs, then what SFPCONFIG sets beside them: marks of the last write, of each thread's last read
WATCH.field("lreg_writer", "<u8", (LREGS + 16,))
WATCH.field("lreg_reader", "<u8", (LREGS + 16, THREADS))


def lregs(tile: places.Noted, value: int) -> str:
    """Some LRegs, a bit each."""
    return ", ".join(f"LReg[{i}]" for i in range(17) if value >> i & 1)


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
def reads_lreg(s: Checking, t: int, register: int) -> None:
    """A vector instruction reads a register that all threads share."""
    c = s.shadow
    if unknown(s, c.lreg_writer[register]):
        report(s, RACE_LREG, register, c.lreg_writer[register])
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
    result = 0
    for nibble in range(6):
        if named >> nibble & 1:
            result |= 1 << (word >> 4 * nibble & 15)
    return result


@WATCH.at(load_macro.load_macro)
@kernel
def schedules(
    s: Checking, t: int, macro: int, vd: int, mod0: int, addr_mode: int, imm10: int
) -> None:
    """An SFPLOADMACRO schedules words for the cycles behind it."""
    note(s, s.shadow.macro)


@WATCH.at(rounds.idle_vector_unit)
@kernel
def runs_scheduled(s: Checking) -> None:
    """In a cycle without a vector instruction it is the last SFPLOADMACRO's words that act."""
    c = s.shadow
    c.mark = c.macro.mark
    c.actor = c.mark & ACTOR_MASK
    c.pipe = VECTOR_PIPE
    c.row = c.actor & 3
    c.group = GROUP_OF_PIPE[VECTOR_PIPE]
    c.word = c.macro.word
    c.origin = c.macro.origin


@WATCH.word
@kernel
def vector_word(s: Checking, t: int, word: int) -> None:
    """A vector instruction is about to be executed: what it reads must be there."""
    c = s.shadow
    opcode = word >> 24
    if opcode < s.arch.vector.first or opcode > s.arch.vector.last:
        return
    if s.vector.lane_flags == ALL_LANES or not s.vector.use_lane_flags:
        note(s, c.lanes_on)
    read = registers_read(s, word)
    missing = read & ~(c.lreg_written | CONSTANT_LREGS)
    if missing:
        report(s, UNINIT_LREG, missing, 0)
    late = c.late_register
    if late and c.late_thread == t and c.issued[t] == c.late_issue + 1:
        if read >> (late - 1) & 1 and not s.arch.timing.vector_interlock:
            report_of(s, SFPU_LATENCY, late - 1, c.late_act)
    c.late_register = 0
    result = s.arch.timing.result[opcode]
    vd = word >> result & 15
    # until an SFPSWAP is through, the unit takes no other instruction
    slow = s.arch.timing.latency[opcode] > s.arch.timing.interval[opcode]
    late = slow or s.arch.timing.late_modes[opcode] >> (word & 15) & 1
    if result and vd < WRITTEN and late:
        c.late_register = 1 + vd
        c.late_thread = t
        c.late_issue = c.issued[t]
        note(s, c.late_act)
    writes = s.arch.timing.writes[opcode]
    for nibble in range(6):
        if s.arch.timing.reads[opcode] >> nibble & 1:
            reads_lreg(s, t, word >> 4 * nibble & 15)
        if writes >> nibble & 1:
            c.lreg_written |= 1 << (word >> 4 * nibble & 15)
            writes_lreg(s, t, word >> 4 * nibble & 15)
    if opcode == SFPCONFIG:
        c.lreg_written |= 1 << (word >> 4 & 15)
        at = word >> 4 & 15
        writes_lreg(s, t, at if at in PROGRAMMED else LREGS + at)
