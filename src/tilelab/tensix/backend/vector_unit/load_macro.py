"""SFPLOADMACRO: its instruction templates, and the instructions it schedules (SFPLOADMACRO.md).

A scheduled instruction waits in a slot ``[sub-unit][delay]`` and moves down one slot when time
passes: with every vector instruction (:func:`issue`), and, unless one of them counts
instructions, with every other round of the functional clock, which then calls :func:`elapse`.

When results appear, and what that means to whoever reads registers meanwhile, is in
:mod:`tilelab.tensix.backend.vector_unit.load_macro_results`.

Not modelled: latency of instructions that are issued themselves, where Blackhole stalls whoever
reads too early and Wormhole's software has to wait.
"""

from typing import Final

from tilelab.sim.checks import Policy, check, fault, refuse
from tilelab.sim.errors import UndefinedBehaviorError, UnsupportedFunctionalityError
from tilelab.sim.kernel import OK, kernel
from tilelab.tensix.backend.rwc import apply_addr_mod, check_addr_mod
from tilelab.tensix.backend.semantics import GO, begins
from tilelab.tensix.backend.vector_unit.load_macro_results import (
    destination,
    results_appear,
    run_late,
)
from tilelab.tensix.backend.vector_unit.load_store import (
    check_addressing,
    dst_address,
    load,
    resolved_format,
)
from tilelab.tensix.backend.vector_unit.lreg import (
    ALL_LANES,
    DISABLE_BACKDOOR_LOAD,
    ENABLE_DEST_INDEX,
    EXTRA,
    enabled_lanes,
)
from tilelab.tensix.chips.opcodes import SFPNOP, SFPSTORE
from tilelab.tensix.state.records import State
from tilelab.tensix.tables.units import SubUnit, Unit

DUE: Final = 0x01010101
"""The pending bits of all sub-units that are due in the next cycle."""

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
    policy=Policy.ERROR,
)
SEQUENCE = check(
    "vector-macro-sequence",
    UndefinedBehaviorError,
    "the sequence {value:#010x} gives a sub-unit nothing that it can execute",
    page="SFPLOADMACRO.md",
    cure="a byte's low three bits: 0 nothing, 2 SFPNOP, 3 SFPSTORE, 4-7 a template; store only",
)


@kernel
def record_template(s: State, word: int) -> int:
    """Keep an instruction whose VD is 12 + i as InstructionTemplate[i] instead of executing it."""
    lanes = enabled_lanes(s)
    if lanes != ALL_LANES:
        return fault(s, TEMPLATE_LANES, lanes)
    s.vector.load_macro.template[destination(s, word) - 12] = word
    return OK


@kernel
def elapse(s: State, issued: int) -> int:
    """Pass a cycle, in which a vector instruction is ``issued`` or not: run what is due.

    Returns OK, or the code of a scheduled instruction's failed check. To be called only while
    ``load_macro_busy``.
    """
    plan = s.vector.load_macro
    busy = results_appear(s)
    for i in range(4):
        unit = SubUnit.STORE - i
        due = 1 << (8 * unit)
        if plan.pending & due:
            plan.pending &= ~due & 0xFFFFFFFF
            plan.waits &= ~due & 0xFFFFFFFF
            busy = 1
            code = run_late(s, unit, plan.word[unit, 0], plan.operands[unit, 0])
            if code != OK:
                return code
    if issued or plan.waits == 0:
        plan.pending >>= 1
        plan.waits >>= 1
        for unit in range(4):
            if plan.pending >> (8 * unit) & 0xFF:
                for delay in range(7):
                    plan.word[unit, delay] = plan.word[unit, delay + 1]
                    plan.operands[unit, delay] = plan.operands[unit, delay + 1]
    if plan.pending:
        busy = 1
    plan.busy = busy
    return OK


@kernel
def settling(s: State) -> int:
    """1 while cycles without a vector instruction still change something."""
    plan = s.vector.load_macro
    if not plan.busy:
        return 0
    if plan.waits == 0 or plan.pending & DUE or s.vector.late.flags_valid:
        return 1
    late = s.vector.late.swap_lanes
    for r in range(17):
        late |= s.vector.late.lanes[0, r] | s.vector.late.lanes[1, r]
    return 1 if late else 0


@kernel
def issue_beside(s: State, opcode: int, is_template: int) -> int:
    """Let pass the cycle in which an instruction is issued beside scheduled ones: GO, or as those.

    OK if one of them takes its place.
    """
    plan = s.vector.load_macro
    unit = s.arch.vector.sub_unit[opcode]
    displaced = plan.pending >> (8 * unit) & 1 if unit != SubUnit.LOAD and not is_template else 0
    if displaced and refuse(s, CLASH, plan.word[unit, 0]):
        return CLASH
    code = elapse(s, 1)
    return code if displaced or code != OK else GO


@begins(Unit.VECTOR)
def issue(s: State, t: int, word: int) -> int:
    """Begin a vector instruction: GO to execute it, any other code is the kernel's result."""
    opcode = word >> 24
    vd = destination(s, word)
    settings = s.vector.lane_config
    busy = s.vector.load_macro.busy
    if vd < 12 and not busy and not settings & ENABLE_DEST_INDEX:
        return GO  # nearly always
    may_record = s.arch.vector.is_template[opcode] and not settings & DISABLE_BACKDOOR_LOAD
    is_template = 1 if vd >= 12 and may_record else 0
    if settings & ENABLE_DEST_INDEX and 4 <= vd < 8 and s.arch.vector.has_result[opcode]:
        return fault(s, CORRUPTED, vd)
    if busy:
        code = issue_beside(s, opcode, is_template)
        if code != GO:
            return code
    if is_template:
        return record_template(s, word)
    return GO


@kernel
def selected(s: State, unit: int, byte: int) -> int:
    """The instruction that a byte of a sequence selects for a sub-unit; 0 if there is none."""
    choice = byte & 7
    if choice == 1:
        return 0
    if choice == 2:
        word = SFPNOP << 24
    elif choice == 3:
        word = SFPSTORE << 24
    else:
        word = s.vector.load_macro.template[choice - 4]
    if s.arch.vector.sub_unit[word >> 24] != unit:
        word = SFPNOP << 24
    return 0 if unit == SubUnit.STORE and word >> 24 == SFPNOP else word


@kernel
def macro_operands(s: State, word: int, byte: int, vd: int) -> int:
    """VB, VC and VD of a scheduled instruction, packed: the macro's VD replaces VB or VC.

    An instruction without a VB (or VC) of its own has its own VD for that. Where the modifier says
    that VB is VD, that is the VD that the macro decides on, as SFPAND.md and SFPOR.md have it.
    """
    opcode = word >> 24
    result = EXTRA if byte & 0x40 else vd
    vb = word >> s.arch.vector.vb[opcode] & 15
    vc = word >> s.arch.vector.vc[opcode] & 15
    if byte & 0x80:
        vb = vd
    else:
        vc = vd
    modifier = s.arch.vector.vb_modifier[opcode]
    if modifier and not word & modifier:
        vb = result
    return vb | vc << 5 | result << 16


@kernel
def store_operands(
    s: State, t: int, word: int, byte: int, vd: int, mod0: int, address: int, macro: int
) -> int:
    """What a scheduled SFPSTORE stores, how and where, packed."""
    source = vd
    if byte & 0x40:
        source = EXTRA
    elif byte & 0x80:
        source = destination(s, word)
    misc = s.vector.load_macro.misc
    mode = mod0 if misc >> (4 + macro) & 1 else misc & 15
    return address | mode << 10 | source << 16 | t << 24


@kernel
def schedule(s: State, t: int, macro: int, vd: int, mod0: int, address: int) -> int:
    """Schedule what the macro's sequence says, for each sub-unit."""
    plan = s.vector.load_macro
    sequence = plan.sequence[macro]
    for unit in range(4):
        byte = sequence >> (8 * unit) & 0xFF
        delay = byte >> 3 & 7
        slot = 1 << (8 * unit + delay)
        # a byte that schedules nothing displaces nothing: the vendor's reciprocal has a store due
        if byte & 7 and delay != 7:
            plan.pending &= ~slot & 0xFFFFFFFF
            plan.waits &= ~slot & 0xFFFFFFFF
        if byte & 7:
            word = selected(s, unit, byte)
            if unit == SubUnit.STORE:
                operands = store_operands(s, t, word, byte, vd, mod0, address, macro)
            else:
                operands = macro_operands(s, word, byte, vd)
            plan.word[unit, delay] = word
            plan.operands[unit, delay] = operands
            plan.pending |= slot
            plan.busy = 1
            if plan.misc >> (8 + unit) & 1:
                plan.waits |= slot
    return OK


@kernel
def load_macro(s: State, t: int, macro: int, vd: int, mod0: int, addr_mode: int, imm10: int) -> int:
    """SFPLOADMACRO: load LReg[vd], then schedule up to four instructions on it."""
    sequence = s.vector.load_macro.sequence[macro]
    for unit in range(4):
        byte = sequence >> (8 * unit) & 0xFF
        if byte & 7 and selected(s, unit, byte) == 0:
            return fault(s, SEQUENCE, sequence)
    load_format = resolved_format(s, t, mod0)
    code = check_addressing(s, t, load_format)
    if code == OK:
        code = check_addr_mod(s, t)
    if code == OK and s.vector.load_macro.busy:
        code = elapse(s, 1)
    if code != OK:
        return code
    address = dst_address(s, t, imm10, load_format)
    load(s, vd, load_format, address)
    schedule(s, t, macro, vd, mod0, address)
    return apply_addr_mod(s, t, addr_mode, 0)
