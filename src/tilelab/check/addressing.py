"""What the checker does about address counters (ADCs, RWCs) and address modifiers: whose, and set?

Nothing resets them between kernels, so a kernel that never sets what its words count with begins
where the kernel before left it. Asked of what cores push: a fragment in assembly leaves that to
others. ADCs are a thread's own, but instructions may name another thread's (ThreadOverride).

Sources: tt-isa-documentation, ADCs.md, RWCs.md.
"""

from typing import Final

from tilelab.check import places
from tilelab.check.accesses import report, report_of, unknown
from tilelab.check.issue import MATH
from tilelab.check.knowledge import note, note_take
from tilelab.check.shadow import ACT, TAKEN, TAKES, THREAD_WORDS
from tilelab.check.view import Checking, field_bits
from tilelab.check.watch import Watch
from tilelab.sim.checks import Policy
from tilelab.sim.errors import NonContractualBehaviorError, UnpredictableValueUsedError
from tilelab.sim.kernel import OK, kernel
from tilelab.tensix.backend import rwc
from tilelab.tensix.backend.packers import address
from tilelab.tensix.chips.opcodes import (
    ADDRCRXY,
    ADDRCRZW,
    INCADCXY,
    INCADCZW,
    PACR,
    SETADC,
    SETADCXX,
    SETADCXY,
    SETADCZW,
    SETRWC,
    SFPLOAD,
    SFPSTORE,
    UNPACR,
)
from tilelab.tensix.state.layout import THREADS
from tilelab.tensix.tables.figures import VECTOR_PIPE
from tilelab.tensix.words.origin import pusher

WATCH = Watch("address counters")
WATCH.field("adc_set", "u1", (THREADS, 3))  # of unpackers 0 and 1, packers
WATCH.field("adc_user", ACT, (THREADS, 3))  # the thread's last UNPACR or PACR
WATCH.field("adc_stranger", ACT, (THREADS, 3))  # who of another thread has moved its counters
WATCH.field("modifier_taken", TAKES, (TAKEN,))  # uses of changed address modifiers
WATCH.field("rwc_set", "u1", (THREADS,))
WATCH.field("rwc_word", "u1")  # whether the word that acts counts by RWCs

UNITS: Final = ("unpacker 0", "unpacker 1", "the packers")
PACKERS: Final = 2
SETS: Final = (SETADCXX, SETADCXY, SETADCZW)
MOVES: Final = (SETADCXY, SETADCZW, INCADCXY, INCADCZW, ADDRCRXY, ADDRCRZW)
COUNTS: Final = (*MATH, SFPLOAD, SFPSTORE)
"""Instructions whose rows RWCs say."""
COUNT, OTHER = 1, 2
OTHERS: Final = (*MOVES, UNPACR, PACR, SETRWC, SETADC, SETADCXX)
KINDS: Final = tuple(COUNT if i in COUNTS else OTHER if i in OTHERS else 0 for i in range(256))
"""Which of an opcode's words matter here."""


def counters_of(tile: places.Noted, value: int) -> str:
    """A thread's counters of a unit."""
    return f"the address counters of {UNITS[value & 3]}, thread {value >> 2}"


UNINIT_ADC: Final = WATCH.rule(
    "uninit-adc",
    UnpredictableValueUsedError,
    "uses {where}, which the kernel has not set",
    "",
    "ADCs.md",
    "set them in the operation's init (SETADCXX, SETADCXY, SETADCZW): they stand where the kernel "
    "before left them",
    place=counters_of,
)
RACE_ADC: Final = WATCH.rule(
    "race-adc",
    NonContractualBehaviorError,
    "uses {where} with nothing that orders it and the other thread's use",
    "used them",
    "ADCs.md",
    "let each thread move its own counters only, or hand them over by a semaphore",
    place=places.number("the address counters of thread {}"),
)
UNINIT_RWC: Final = WATCH.rule(
    "uninit-rwc",
    UnpredictableValueUsedError,
    "uses {where}, which the kernel has not set",
    "",
    "RWCs.md",
    "SETRWC in the operation's init: the counters stand where the kernel before left them",
    place=places.number("the counters of rows (RWCs) of thread {}"),
    policy=Policy.WARN,
)
MODIFIER_TAKEN: Final = WATCH.rule(
    "addr-mod-taken",
    NonContractualBehaviorError,
    "counts by {where}",
    "set it since",
    "tt-metal#56846",
    "use an address modifier that no operation's init sets, or call that init again",
)
UNINIT_MODIFIER: Final = WATCH.rule(
    "uninit-addr-mod",
    UnpredictableValueUsedError,
    "counts by {where}, which the kernel has not set",
    "",
    "RWCs.md",
    "set it in the operation's init (addr_mod_t): it is what the kernel before left",
    place=places.number("address modifier {}"),
)


@WATCH.word
@kernel
def addressing_word(s: Checking, t: int, word: int) -> None:
    """A thread's word is about to be executed: does it move counters, or count by them?"""
    c = s.shadow
    opcode = word >> 24
    kind = KINDS[opcode]
    c.rwc_word = 0
    if kind == 0:
        return
    if kind == COUNT:
        c.rwc_word = 1 if pusher(c.origin) < s.arch.cores else 0
        if c.rwc_word and not c.rwc_set[t]:
            report(s, UNINIT_RWC, t, 0)
    elif opcode == UNPACR:
        counts_by(s, t, UNPACR.unpack_block_selection(word))
    elif opcode == PACR:
        counts_by(s, t, PACKERS)
    elif opcode == SETRWC:
        c.rwc_set[t] = 1
    elif opcode == SETADC:
        moves(s, t, (word & 0x3FFFF) >> 16, SETADC.cnt_set_mask(word), 0)
    elif opcode == SETADCXX:
        moves(s, t, 0, SETADCXX.cnt_set_mask(word), 1)
    else:
        sets = 1 if opcode in SETS else 0
        moves(s, t, SETADCXY.thread_override(word), SETADCXY.cnt_set_mask(word), sets)


@kernel
def counts_by(s: Checking, t: int, unit: int) -> None:
    """A thread's unpacker or packer begins where its counters say."""
    c = s.shadow
    if pusher(c.origin) < s.arch.cores and not c.adc_set[t, unit]:
        report(s, UNINIT_ADC, t << 2 | unit, 0)
    if unknown(s, c.adc_stranger[t][unit].mark):
        report_of(s, RACE_ADC, t, c.adc_stranger[t][unit])
    note(s, c.adc_user[t][unit])


@kernel
def moves(s: Checking, t: int, override: int, units: int, sets: int) -> None:
    """A thread's word sets counters, or moves them: its own, or another thread's."""
    c = s.shadow
    whose = override - 1 if override else t
    for unit in range(3):
        if not units >> unit & 1:
            continue
        if sets:
            c.adc_set[whose, unit] = 1
        if whose != t:
            if unknown(s, c.adc_user[whose][unit].mark):
                report_of(s, RACE_ADC, whose, c.adc_user[whose][unit])
            note(s, c.adc_stranger[whose][unit])


@WATCH.at(rwc.apply_addr_mod)
@kernel
def applies(s: Checking, t: int, addr_mode: int, update_fidelity: int) -> int:
    """A word counts by an address modifier."""
    c = s.shadow
    if not c.rwc_word or c.row != t:
        return OK
    section = rwc.addr_mod_section(s, t, addr_mode)
    first = t * THREAD_WORDS
    ab = s.f.ADDR_MOD_AB_SEC_SrcAIncr[section] >> 16
    d = s.f.ADDR_MOD_DST_SEC_DestIncr[section] >> 16
    if not c.thread_config_set[first + ab] and not c.thread_config_set[first + d]:
        report(s, UNINIT_MODIFIER, section, 0)
    steps = s.thread_config[t, d] & field_bits(s.f.ADDR_MOD_DST_SEC_DestIncr[section])
    vector = 1 if c.pipe == VECTOR_PIPE else 0  # it has none of the other counters
    for which in range(vector, 2):
        at = first + (d if which else ab)
        before = c.thread_setter_before[at]
        if before or (steps and vector):
            note_take(s, c.modifier_taken, section, c.thread_setter[at], before)
    return OK


@WATCH.at(address.advance)
@kernel
def advances(s: Checking, t: int, mode: int) -> int:
    """A packer counts by one of its address modifiers."""
    c = s.shadow
    word = s.f.ADDR_MOD_PACK_SEC_YsrcIncr[mode] >> 16
    if pusher(c.origin) < s.arch.cores and not c.thread_config_set[t * THREAD_WORDS + word]:
        report(s, UNINIT_MODIFIER, mode, 0)
    return OK
