"""SFPLOADMACRO: its instruction templates, and the instructions it schedules (SFPLOADMACRO.md).

A scheduled instruction waits in a slot ``[sub-unit][delay]`` and moves down one slot when time
passes: with every vector instruction (:func:`issue`), and, unless one of them counts
instructions, with every other cycle too, in which whoever keeps the time calls :func:`elapse`.

What is due in one cycle runs in the order store, round, MAD, simple, and before the instruction
that is issued in that cycle; so results appear only to those that read after them.

Not modelled: hazards between instructions of the same cycle in which one reads, later in that
order, what another writes; the two-cycle latency of MAD results.
"""

from typing import Any, Final

from tilelab.sim.checks import check, fault, refuse
from tilelab.sim.errors import UndefinedBehaviorError, UnsupportedFunctionalityError
from tilelab.sim.kernel import OK, kernel
from tilelab.tensix.backend.lreg import (
    ALL_LANES,
    DISABLE_BACKDOOR_LOAD,
    ENABLE_DEST_INDEX,
    EXTRA,
    enabled_lanes,
)
from tilelab.tensix.backend.rwc import apply_addr_mod, check_addr_mod
from tilelab.tensix.backend.vector_load_store import (
    check_addressing,
    dst_address,
    load,
    resolved_format,
    store,
)
from tilelab.tensix.backend.vector_sub_units import mad, round_or_shuffle, simple

SIMPLE, MAD, ROUND, STORE, LOAD = range(5)

SFPLOAD, SFPLOADI, SFPSTORE, SFPLUT, SFPMULI, SFPADDI = range(0x70, 0x76)
SFPAND, SFPOR = 0x7E, 0x7F
SFPNOP: Final = 0x8F

# fmt: off
SUB_UNITS: Final = (
    LOAD, LOAD, STORE, MAD, MAD, MAD, SIMPLE, SIMPLE, SIMPLE, SIMPLE, SIMPLE, SIMPLE, SIMPLE,
    SIMPLE, SIMPLE, SIMPLE, SIMPLE, SIMPLE, SIMPLE, SIMPLE, MAD, MAD, MAD, SIMPLE, SIMPLE, SIMPLE,
    SIMPLE, SIMPLE, SIMPLE, SIMPLE, ROUND, LOAD, SIMPLE, SIMPLE, SIMPLE, LOAD, ROUND, MAD, SIMPLE,
    SIMPLE, MAD, SIMPLE,
)
# fmt: on
"""Sub-unit of each opcode from 0x70 (SFPLOAD) to 0x99 (SFPARECIP)."""

NO_RESULT: Final = 1 << 0x0B | 1 << 0x17 | 1 << 0x18 | 1 << 0x1A | 1 << 0x1B | 1 << 0x1C | 1 << 0x22
"""Bit per opcode from 0x70: a VD field, but no result of a sub-unit in it (flags, SFPTRANSP,
SFPSWAP)."""

GO: Final = -100
"""What :func:`issue` returns for an instruction that is to be executed; no kernel returns it."""

TEMPLATE_LANES = check(
    "vector-template-lanes",
    UnsupportedFunctionalityError,
    "an instruction template would be recorded in lanes {value:#010x} only",
    page="SFPCONFIG.md",
    cure="enable all lanes, or set DISABLE_BACKDOOR_LOAD to execute with VD >= 12",
)
CORRUPTED = check(
    "vector-dest-index-result",
    UnsupportedFunctionalityError,
    "with ENABLE_DEST_INDEX set, the result written to LReg[{value}] is corrupted",
    page="SFPCONFIG.md",
    cure="clear LaneConfig.ENABLE_DEST_INDEX, or let VD be below 4 (erratum TEN-2932)",
)
CLASH = check(
    "vector-macro-clash",
    UndefinedBehaviorError,
    "instruction {value:#010x}, scheduled by SFPLOADMACRO, takes this one's place",
    page="SFPLOADMACRO.md",
    cure="issue an SFPNOP (or SFPLOAD, SFPLOADI) while the scheduled instruction executes",
)
SEQUENCE = check(
    "vector-macro-sequence",
    UndefinedBehaviorError,
    "the sequence {value:#010x} gives a sub-unit nothing that it can execute",
    page="SFPLOADMACRO.md",
    cure="a byte's low three bits: 0 nothing, 2 SFPNOP, 3 SFPSTORE, 4-7 a template; store only",
)


@kernel
def destination(word: int) -> int:
    """The VD field of a vector instruction: bits 23:20 of loads, stores and SFPLUT, else 7:4."""
    return (word >> 20) & 15 if word >> 24 <= SFPLUT else (word >> 4) & 15


@kernel
def writes_lreg(opcode: int) -> int:
    """1 if the opcode's VD names a register that ENABLE_DEST_INDEX can corrupt."""
    return 1 if opcode >= SFPLUT and not NO_RESULT >> (opcode - SFPLOAD) & 1 else 0


@kernel
def record_template(s: Any, word: int) -> int:
    """Keep an instruction whose VD is 12 + i as InstructionTemplate[i] instead of executing it."""
    lanes = enabled_lanes(s)
    if lanes != ALL_LANES:
        return fault(s, TEMPLATE_LANES, lanes)
    s.load_macro_template[destination(word) - 12] = word
    return OK


@kernel
def run(s: Any, unit: int, word: int, operands: int) -> int:
    """Execute a scheduled instruction; ``operands`` are as :func:`schedule` packed them."""
    vd = operands >> 16 & 31
    if unit == STORE:
        mod0 = resolved_format(s, operands >> 24, operands >> 10 & 15)
        return store(s, vd, mod0, operands & 0x3FF)
    vb = operands & 31
    vc = operands >> 5 & 31
    if unit == ROUND:
        return round_or_shuffle(s, word, vb, vc, vd)
    if unit == MAD:
        return mad(s, word, vb, vc, vd)
    return simple(s, word, vb, vc, vd)


@kernel
def elapse(s: Any, issued: int) -> int:
    """Pass a cycle, in which a vector instruction is ``issued`` or not: run what is due.

    Returns OK, or the code of a scheduled instruction's failed check.
    """
    for i in range(4):
        unit = STORE - i
        due = 1 << (8 * unit)
        if s.load_macro_pending & due:
            s.load_macro_pending &= ~due & 0xFFFFFFFF
            s.load_macro_waits &= ~due & 0xFFFFFFFF
            code = run(s, unit, s.load_macro_word[unit, 0], s.load_macro_operands[unit, 0])
            if code != OK:
                return code
    if issued or s.load_macro_waits == 0:
        s.load_macro_pending = s.load_macro_pending >> 1
        s.load_macro_waits = s.load_macro_waits >> 1
        for unit in range(4):
            if s.load_macro_pending >> (8 * unit) & 0xFF:
                for delay in range(7):
                    s.load_macro_word[unit, delay] = s.load_macro_word[unit, delay + 1]
                    s.load_macro_operands[unit, delay] = s.load_macro_operands[unit, delay + 1]
    return OK


@kernel
def issue(s: Any, t: int, word: int) -> int:
    """Begin a vector instruction: GO to execute it, any other code is the kernel's result."""
    opcode = word >> 24
    vd = destination(word)
    is_template = 1 if vd >= 12 and not s.lane_config & DISABLE_BACKDOOR_LOAD else 0
    if s.lane_config & ENABLE_DEST_INDEX and 4 <= vd < 8 and writes_lreg(opcode):
        return fault(s, CORRUPTED, vd)
    if s.load_macro_pending:
        unit = SUB_UNITS[opcode - SFPLOAD]
        displaced = 0
        if unit != LOAD and not is_template:
            displaced = s.load_macro_pending >> (8 * unit) & 1
        if displaced and refuse(s, CLASH, s.load_macro_word[unit, 0]):
            return CLASH
        code = elapse(s, 1)
        if displaced or code != OK:
            return code
    if is_template:
        return record_template(s, word)
    return GO


@kernel
def selected(s: Any, unit: int, byte: int) -> int:
    """The instruction that a byte of a sequence selects for a sub-unit; 0 if there is none."""
    choice = byte & 7
    if choice == 1:
        return 0
    if choice == 2:
        word = SFPNOP << 24
    elif choice == 3:
        word = SFPSTORE << 24
    else:
        word = s.load_macro_template[choice - 4]
    opcode = word >> 24
    if not SFPLOAD <= opcode <= 0x99 or SUB_UNITS[opcode - SFPLOAD] != unit:
        word = SFPNOP << 24
    return 0 if unit == STORE and word >> 24 == SFPNOP else word


@kernel
def names_vb(word: int) -> int:
    """1 if the instruction has a VB of its own; for the others VB is VD."""
    opcode = word >> 24
    if SFPAND <= opcode <= SFPOR:
        return word & 1
    if 0x84 <= opcode <= 0x86 or opcode == 0x8E or opcode == 0x94 or opcode >= 0x98:
        return 1
    return 0


@kernel
def macro_operands(word: int, byte: int, vd: int) -> int:
    """VB, VC and VD of a scheduled instruction, packed: the macro's VD replaces VB or VC."""
    opcode = word >> 24
    own = destination(word)
    vb = word >> 12 & 15 if names_vb(word) else own
    vc = own if SFPMULI <= opcode <= SFPADDI else word >> 8 & 15
    if byte & 0x80:
        vb = vd
    else:
        vc = vd
    return vb | vc << 5 | (EXTRA if byte & 0x40 else vd) << 16


@kernel
def store_operands(
    s: Any, t: int, word: int, byte: int, vd: int, mod0: int, address: int, macro: int
) -> int:
    """What a scheduled SFPSTORE stores, how and where, packed."""
    source = vd
    if byte & 0x40:
        source = EXTRA
    elif byte & 0x80:
        source = destination(word)
    misc: int = s.load_macro_misc
    mode = mod0 if misc >> (4 + macro) & 1 else misc & 15
    return address | mode << 10 | source << 16 | t << 24


@kernel
def schedule(s: Any, t: int, macro: int, vd: int, mod0: int, address: int) -> int:
    """Schedule what the macro's sequence says, for each sub-unit."""
    sequence: int = s.load_macro_sequence[macro]
    for unit in range(4):
        byte = sequence >> (8 * unit) & 0xFF
        delay = byte >> 3 & 7
        slot = 1 << (8 * unit + delay)
        if delay != 7:
            s.load_macro_pending &= ~slot & 0xFFFFFFFF
            s.load_macro_waits &= ~slot & 0xFFFFFFFF
        if byte & 7:
            word = selected(s, unit, byte)
            if unit == STORE:
                operands = store_operands(s, t, word, byte, vd, mod0, address, macro)
            else:
                operands = macro_operands(word, byte, vd)
            s.load_macro_word[unit, delay] = word
            s.load_macro_operands[unit, delay] = operands
            s.load_macro_pending |= slot
            if s.load_macro_misc >> (8 + unit) & 1:
                s.load_macro_waits |= slot
    return OK


@kernel
def load_macro(s: Any, t: int, macro: int, vd: int, mod0: int, addr_mode: int, imm10: int) -> int:
    """SFPLOADMACRO: load LReg[vd], then schedule up to four instructions on it."""
    sequence: int = s.load_macro_sequence[macro]
    for unit in range(4):
        byte = sequence >> (8 * unit) & 0xFF
        if byte & 7 and selected(s, unit, byte) == 0:
            return fault(s, SEQUENCE, sequence)
    load_format = resolved_format(s, t, mod0)
    code = check_addressing(s, t, load_format)
    if code == OK:
        code = check_addr_mod(s, t)
    if code == OK and s.load_macro_pending:
        code = elapse(s, 1)
    if code != OK:
        return code
    address = dst_address(s, t, imm10, load_format)
    load(s, vd, load_format, address)
    schedule(s, t, macro, vd, mod0, address)
    return apply_addr_mod(s, t, addr_mode, 0)
