"""What an instruction occupies, and until when: called as it passes its gate.

Not modelled: L1's banks, and its ports but one (``shared_port``); the depths of the pipelines
between a gate and L1; more than one instruction queued at an unpacker or packer; a Dst block as
PACR reads it (vendor kernels order that with semaphores and STALLWAIT, which are); that the vector
unit waits for and as every register while an SFPMAD's operands are indirect.
"""

from typing import Final

from tilelab.sim.kernel import OK, kernel
from tilelab.tensix.backend.matrix_unit.operands import dst_address
from tilelab.tensix.chips.opcodes import (
    ADDDMAREG,
    CMPDMAREG,
    MOVB2A,
    MOVD2A,
    MOVD2B,
    MVMUL,
    PACR,
    SFPMAD,
    SFPNOP,
    UNPACR,
    WRCFG,
    XMOV,
)
from tilelab.tensix.cycle.banks import bank_bits, hide_bank_changes, later
from tilelab.tensix.cycle.reads import NEXT, fetch, reads
from tilelab.tensix.cycle.what_if import DST, PACK, THCON, spent
from tilelab.tensix.state.records import State
from tilelab.tensix.tables.figures import (
    CONFIG_PORT,
    MATRIX_PORT,
    MOVER_BYTES,
    MOVER_CYCLES,
    NO_PORT,
    PACK_PIPE,
    PACK_PORT,
    PACKER_UNIT,
    SCALAR_PORT,
    UNPACK_PIPE,
    UNPACK_PORT,
    UNPACKER_UNIT,
    VECTOR_PORT,
)
from tilelab.tensix.tables.units import DstUse

MOVER: Final = MOVER_CYCLES.value


@kernel
def dst_block(s: State, t: int, word: int) -> int:
    """The aligned 8x16 block of Dst that a matrix instruction reads or writes."""
    return (dst_address(s, t, MVMUL.dst(word)) >> 3) & 127


@kernel
def hazard(s: State, t: int, word: int) -> int:
    """Whether a matrix instruction has to wait for a block of Dst.

    ELWADD and ELWSUB wait as if they read it even where they do not accumulate
    (mesham/tt-sim@8b031a6: ELWADD on one block takes as long as MVMUL).
    """
    use = s.arch.timing.dst_use[word >> 24]
    if s.cycle.dst_any > s.clock and use & DstUse.READS:
        if s.cycle.dst_ready[dst_block(s, t, word)] > s.clock:
            return 1
    if s.cycle.moved_dst > s.clock and use & DstUse.AFTER_MOVE:
        return 1
    return 0


@kernel
def result_late(s: State, word: int) -> int:
    """Whether a vector instruction reads a register whose result takes one more cycle.

    It waits in the unit, and has left its gate: a word for another unit follows (tt-metal#54317:
    load, table, store and INCRWC take four cycles, and without INCRWC as many).
    """
    if s.cycle.late_at <= s.clock:
        return 0
    opcode = word >> 24
    if not s.arch.timing.stall_modes[opcode] >> SFPMAD.instr_mod1(word) & 1:
        return 0
    if s.arch.timing.stall_always[opcode] >> s.cycle.late_register & 1:
        return 1
    named = s.arch.timing.stalling[opcode]
    for nibble in range(6):
        if (named >> nibble) & 1 and (word >> (4 * nibble)) & 15 == s.cycle.late_register:
            return 1
    return 0


@kernel
def port_accepts(s: State, word: int, port: int) -> int:
    """Whether a unit can take a word in this cycle."""
    opcode = word >> 24
    if s.cycle.port_free[port] > s.clock:
        if port == VECTOR_PORT and opcode == SFPNOP:  # behind SFPSWAP, in its second cycle
            return 1 if s.cycle.vector_from <= s.clock else 0
        return 0
    if port == MATRIX_PORT and s.cycle.move_until > s.clock:
        if s.cycle.move_opcode == MOVD2B:
            return 1 if opcode == MOVD2B else 0
        return 1 if opcode == MOVD2A or opcode == MOVB2A else 0
    if port == CONFIG_PORT and s.cycle.config_free > s.clock and opcode != WRCFG:
        return 0
    if port == UNPACK_PORT and s.cycle.read_left[UNPACR.unpack_block_selection(word), NEXT]:
        return 0
    if port == PACK_PORT:
        for p in range(4):
            if s.cycle.pack_start[p] > s.clock:
                return 0
    return 1


@kernel
def pack(s: State, word: int) -> int:
    """Time a PACR's packers; returns the cycle in which the last of them has finished."""
    cycle = s.cycle
    mask = 1
    if s.arch.packers > 1:
        mask = PACR.pack_sel(word) or 1
    packers = 0
    for p in range(4):
        packers += (mask >> p) & 1
    rate = s.arch.timing.pack_bytes * packers
    cycles = (cycle.work + rate - 1) // rate
    if cycle.adds and not cycle.adds_at_once:
        halves = cycles * s.arch.timing.pack_accumulates + cycle.pack_half
        cycles = halves >> 1
        cycle.pack_half = halves & 1
    cycles = spent(s, PACK, cycles)
    gap = s.arch.timing.pack_gap
    end = s.clock + 1
    cycle.packed = cycle.packed + cycle.work
    for p in range(4):
        if (mask >> p) & 1:
            start = s.clock
            if cycle.pack_end[p] + gap > start and cycle.pack_end[p]:
                start = cycle.pack_end[p] + gap
            cycle.pack_start[p] = start
            cycle.pack_end[p] = start + cycles
            cycle.pack_cycles[p] = cycle.pack_cycles[p] + cycles
            end = max(end, cycle.pack_end[p])
    return end


@kernel
def scalar_cycles(s: State, word: int) -> int:
    """How long the scalar unit takes: one more if two operands are in different groups of four."""
    opcode = word >> 24
    cycles = s.arch.timing.interval[opcode]
    if ADDDMAREG <= opcode <= CMPDMAREG and not ADDDMAREG.op_b_is_const(word):
        if ADDDMAREG.op_a_reg_index(word) >> 2 != ADDDMAREG.op_b_reg_index(word) >> 2:
            cycles += 1
    return max(1, spent(s, THCON, cycles))


@kernel
def occupy_matrix(s: State, word: int, block: int) -> int:
    """What a matrix instruction does to the readers of Dst behind it."""
    opcode = word >> 24
    if s.arch.timing.dst_use[opcode] & DstUse.WRITES:
        blocked = spent(s, DST, s.arch.timing.dst_blocked)
        s.cycle.dst_ready[block] = s.clock + blocked
        s.cycle.dst_any = s.clock + blocked
    if s.arch.timing.dst_use[opcode] & DstUse.MOVES:
        s.cycle.moved_dst = s.clock + spent(s, DST, s.arch.timing.move_blocked)
    if opcode == MOVD2A or opcode == MOVD2B:
        s.cycle.move_opcode = opcode
        s.cycle.move_until = s.clock + s.arch.timing.latency[opcode]
    return OK


@kernel
def occupy(s: State, t: int, word: int, block: int, before: int) -> int:
    """Book what an instruction that has just executed occupies; returns until when."""
    opcode = word >> 24
    cycle = s.cycle
    port = s.arch.timing.port[opcode]
    interval = s.arch.timing.interval[opcode]
    end = s.clock + s.arch.timing.latency[opcode]
    pipe = s.arch.timing.pipe[opcode]
    if port == UNPACK_PORT:
        cycle.held_until[t] = s.clock + interval
        u = UNPACR.unpack_block_selection(word)
        pipe = UNPACK_PIPE + u
        if opcode == UNPACR and cycle.work:
            end = fetch(s, t, u)
        elif cycle.read_end[u] > end:
            end = cycle.read_end[u]  # in order behind what is being fetched
    elif port == PACK_PORT:
        end = pack(s, word)
        if s.arch.packers > 1:
            for p in range(1, 4):
                cycle.pipe_busy[t, PACK_PIPE + p] = max(
                    cycle.pipe_busy[t, PACK_PIPE + p], cycle.pack_end[p]
                )
    elif port == SCALAR_PORT:
        interval = scalar_cycles(s, word)
        end = s.clock + interval + s.arch.timing.scalar_stage
        if not s.arch.timing.scalar_stage:
            cycle.held_until[t] = end
    elif port == MATRIX_PORT:
        occupy_matrix(s, word, block)
    elif port == VECTOR_PORT:
        late = result_late(s, word)
        interval += late
        end += late
        cycle.vector_from = s.clock + 1 + late
        if s.arch.timing.vector_interlock and s.arch.timing.result[opcode]:
            cycle.late_register = (word >> s.arch.timing.result[opcode]) & 15
            cycle.late_at = end
    elif opcode == XMOV:
        interval = max(1, (MOVER * cycle.work + MOVER_BYTES - 1) // MOVER_BYTES)
        end = s.clock + interval
    elif s.arch.timing.config_hold[opcode]:
        cycle.config_free = s.clock + s.arch.timing.config_hold[opcode]
    if port != NO_PORT:
        cycle.port_free[port] = max(cycle.port_free[port], s.clock + interval)
    elif interval > 1:
        cycle.held_until[t] = s.clock + interval
    cycle.port_cycles[port] = cycle.port_cycles[port] + interval
    left = end
    if port == MATRIX_PORT:
        left = max(end, s.clock + s.arch.timing.matrix_stages)
        later(s, left)
    elif port == PACK_PORT:
        left = end + spent(s, PACK, s.arch.timing.pack_stages)
        later(s, left)
    cycle.pipe_busy[t, pipe] = max(cycle.pipe_busy[t, pipe], left)
    if before != bank_bits(s):
        hide_bank_changes(s, t, before, end)
    later(s, end)
    return end


@kernel
def idle(s: State, unit: int, cause: int) -> int:
    """Count a cycle in which a unit did nothing as a gate held its word back; the first counts."""
    if not s.cycle.unit_seen >> unit & 1:
        s.cycle.unit_seen = s.cycle.unit_seen | 1 << unit
        s.cycle.unit_idle[unit, cause] = s.cycle.unit_idle[unit, cause] + 1
    return OK


@kernel
def count_idle(s: State, t: int) -> int:
    """Count what a gate's held word keeps idle: the unit that it is for."""
    cycle = s.cycle
    word = s.frontend[t].gate_word
    port = s.arch.timing.port[word >> 24]
    cause = cycle.cause[t]
    if port == NO_PORT:
        return OK
    if port == UNPACK_PORT:
        u = UNPACR.unpack_block_selection(word)
        return OK if reads(s, u, s.clock) else idle(s, UNPACKER_UNIT + u, cause)
    if port != PACK_PORT:
        return OK if cycle.port_free[port] > s.clock else idle(s, port, cause)
    mask = 1
    if s.arch.packers > 1:
        mask = PACR.pack_sel(word) or 1
    for p in range(4):
        if mask >> p & 1 and cycle.pack_end[p] <= s.clock:
            idle(s, PACKER_UNIT + p, cause)
    return OK
