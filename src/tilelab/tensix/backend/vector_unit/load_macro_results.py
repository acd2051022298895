"""What SFPLOADMACRO scheduled: executing it, and when its results appear (SFPLOADMACRO.md).

All that executes in one cycle, the issued instruction too, reads the registers and flags as they
were before it. A scheduled instruction's results therefore go to ``late_*`` first and appear at
the start of the next cycle; those of the MAD sub-unit and of SFPSHFT2's shuffles, which take two
cycles, one cycle later still. SFPSWAP compares in its first cycle; in its second it reads its
operands again, in the lanes that swap, to write them exchanged (SFPSWAP.md).

Vendor kernels depend on this: they overwrite a register in the very cycle in which a scheduled
instruction reads it. They also load a register in the cycle at whose end a scheduled instruction
writes it: what was loaded stays (``vector_load_store.write_loaded``).
"""

from tilelab.sim.kernel import OK, kernel
from tilelab.tensix.backend.semantics import scheduled
from tilelab.tensix.backend.vector_unit.load_store import resolved_format, store
from tilelab.tensix.backend.vector_unit.lreg import (
    ALL_LANES,
    ENABLE_DEST_INDEX,
    EXTRA,
    enabled_lanes,
)
from tilelab.tensix.backend.vector_unit.moves import swapping_lanes
from tilelab.tensix.chips.opcodes import SFPLUT, SFPMAD, SFPMOV, SFPSHFT2, SFPSWAP, SFPTRANSP
from tilelab.tensix.state.records import State
from tilelab.tensix.tables.units import SubUnit


@kernel
def destination(s: State, word: int) -> int:
    """The VD that a vector instruction names."""
    place = s.arch.vector.vd[word >> 24]
    return word >> place & 15


@kernel
def written_lanes(s: State, word: int, vd: int, r: int) -> int:
    """Bit mask of the lanes in which a scheduled instruction is about to write LReg[r]."""
    opcode = word >> 24
    mod1 = SFPMAD.instr_mod1(word)
    lanes = enabled_lanes(s)
    if opcode == SFPTRANSP:
        return lanes if r < 8 else 0
    if opcode == SFPSHFT2 and mod1 <= 2:
        return lanes if r < 4 else 0
    if not s.arch.vector.has_result[opcode]:
        return 0
    mode = SFPLUT.instr_mod0(word) if opcode == SFPLUT else mod1
    if s.arch.vector.sub_unit[opcode] == SubUnit.MAD and mode & 8 and vd != EXTRA:
        indirect = 0
        for lane in range(32):
            if s.vector.lreg[7, lane] & 15 == r:
                indirect |= 1 << lane
        return lanes & indirect if r < 8 else 0
    if r != vd:
        return 0
    return ALL_LANES if opcode == SFPMOV and mod1 == 2 else lanes


@kernel
def takes_two_cycles(unit: int, word: int) -> int:
    """1 if results appear a cycle later than usual."""
    if unit == SubUnit.MAD:
        return 1
    return 1 if word >> 24 == SFPSHFT2 and 2 <= SFPSHFT2.instr_mod1(word) <= 4 else 0


ONLY_GIVES = 32
"""Marks a register of a scheduled SFPSWAP that is read and not written."""


@kernel
def begin_swap(s: State, vb: int, vc: int, vd: int, mod1: int) -> int:
    """The first cycle of a scheduled SFPSWAP: find the lanes that the second is to exchange.

    Where the macro's VD is VC and VD both, it is ordered against VB, the template's own VD, which
    keeps its value: so the vendor's exponential clamps what it loads (ckernel_sfpu_exp.h).
    """
    other = vb | ONLY_GIVES if vc == vd else vd
    lanes = enabled_lanes(s) & swapping_lanes(s, vc, other & 31, mod1)
    s.vector.late.swap_lanes = lanes
    s.vector.late.swap_registers = vc << 8 | other if lanes else 0
    return OK


@kernel
def finish_swap(s: State) -> int:
    """The second cycle: what it exchanges appears in the next one. Returns 1 if it does."""
    lanes = s.vector.late.swap_lanes
    if lanes == 0:
        return 0
    vc = s.vector.late.swap_registers >> 8
    vd = s.vector.late.swap_registers & 0xFF
    s.vector.late.swap_lanes = 0
    s.vector.late.swap_registers = 0
    if s.vector.lane_config & ENABLE_DEST_INDEX:
        swap_late(s, vc, vd, lanes, 4)
        swap_late(s, 4 + (vc & 3), 4 + (vd & 3), lanes, 8)
    else:
        swap_late(s, vc, vd, lanes, 8)
    return 1


@kernel
def swap_late(s: State, vc: int, vd: int, lanes: int, limit: int) -> int:
    """Set two registers aside, exchanged; those from ``limit`` on only give; returns OK."""
    for lane in range(32):
        if lanes >> lane & 1:
            if vc < limit:
                s.vector.late.value[0, vc, lane] = s.vector.lreg[vd & 31, lane]
            if vd < limit:
                s.vector.late.value[0, vd, lane] = s.vector.lreg[vc, lane]
    if vc < limit:
        s.vector.late.lanes[0, vc] |= lanes
    if vd < limit:
        s.vector.late.lanes[0, vd] |= lanes
    return OK


@kernel
def run_late(s: State, unit: int, word: int, operands: int) -> int:
    """Execute a scheduled instruction and set its results aside; uses scratch_b and scratch_c."""
    vc = operands >> 5 & 31
    vd = operands >> 16 & 31
    if word >> 24 == SFPSWAP:
        return begin_swap(s, operands & 31, vc, vd, SFPSWAP.instr_mod1(word))
    for r in range(17):
        lanes = written_lanes(s, word, vd, r)
        s.scratch_c[r] = lanes
        if lanes:
            for lane in range(32):
                s.scratch_b[32 * r + lane] = s.vector.lreg[r, lane]
    flags = s.vector.lane_flags
    use = s.vector.use_lane_flags
    code = run(s, unit, word, operands)
    if code != OK:
        return code
    late = takes_two_cycles(unit, word)
    for r in range(17):
        lanes = s.scratch_c[r]
        if lanes:
            s.vector.late.lanes[late, r] |= lanes
            for lane in range(32):
                if lanes >> lane & 1:
                    s.vector.late.value[late, r, lane] = s.vector.lreg[r, lane]
                    s.vector.lreg[r, lane] = s.scratch_b[32 * r + lane]
    if flags != s.vector.lane_flags or use != s.vector.use_lane_flags:
        s.vector.late.flags = s.vector.lane_flags
        s.vector.late.use_flags = s.vector.use_lane_flags
        s.vector.late.flags_valid = 1
        s.vector.lane_flags = flags
        s.vector.use_lane_flags = use
    return OK


@kernel
def results_appear(s: State) -> int:
    """Begin a cycle: write the results that are due; returns 1 if others remain."""
    remain = 0
    for r in range(17):
        lanes = s.vector.late.lanes[0, r]
        if lanes:
            for lane in range(32):
                if lanes >> lane & 1:
                    s.vector.lreg[r, lane] = s.vector.late.value[0, r, lane]
        lanes = s.vector.late.lanes[1, r]
        if lanes:
            remain = 1
            for lane in range(32):
                s.vector.late.value[0, r, lane] = s.vector.late.value[1, r, lane]
        s.vector.late.lanes[0, r] = lanes
        s.vector.late.lanes[1, r] = 0
    if s.vector.late.flags_valid:
        s.vector.lane_flags = s.vector.late.flags
        s.vector.use_lane_flags = s.vector.late.use_flags
        s.vector.late.flags_valid = 0
    return remain | finish_swap(s)


@kernel
def run(s: State, unit: int, word: int, operands: int) -> int:
    """Execute a scheduled instruction; ``operands`` are as :func:`schedule` packed them."""
    vd = operands >> 16 & 31
    if unit == SubUnit.STORE:
        mod0 = resolved_format(s, operands >> 24, operands >> 10 & 15)
        return store(s, vd, mod0, operands & 0x3FF)
    vb = operands & 31
    vc = operands >> 5 & 31
    return scheduled(s, word, vb, vc, vd)
