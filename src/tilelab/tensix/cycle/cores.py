"""The RISC-V cores' time: what an instruction costs, and when its operands are there.

In order, one instruction a cycle; a load's register can be used after the latency of what it read;
Blackhole pushes up to four adjacent .ttinsn at once. Source: BabyRISCV/README.md of each chip.
Where instructions come from: :mod:`tilelab.tensix.cycle.fetch`; L1: ``cycle/stores.py``.

Not modelled: hits in the L0 data cache.
"""

from typing import Final

from tilelab.riscv.fields import (
    Major,
    divides,
    i_offset,
    is_m,
    is_unsigned,
    major,
    rd,
    rs1,
    rs2,
    s_offset,
    tensix_word,
)
from tilelab.riscv.table import READS_RS1, READS_RS2
from tilelab.sim.kernel import OK, WORD, kernel
from tilelab.tensix.cycle.events import PUSH, note, note_core
from tilelab.tensix.cycle.fetch import follow, instruction_late, taken
from tilelab.tensix.cycle.frontend import tracked
from tilelab.tensix.cycle.stores import (
    begin_load,
    begin_store,
    load_waits,
    pass_alone,
    store_waits,
)
from tilelab.tensix.cycle.what_if import LOAD, spent
from tilelab.tensix.riscv.core import blame_core, fetch_word, step
from tilelab.tensix.state.records import State
from tilelab.tensix.tables import causes
from tilelab.tensix.tables.figures import (
    DIVIDE_BEYOND_BITS,
    DIVIDE_LEAST,
    DIVIDE_MOST,
    DIVIDE_STEP,
    DIVIDE_TRIVIAL,
    QUEUE_WORDS,
)
from tilelab.tensix.tables.tile_registers import (
    DST_WINDOW,
    DST_WINDOW_END,
    GPRS,
    INSTRN_BUF,
    INSTRN_BUF_END,
    LOCAL_RAM,
    MAILBOXES,
    MAILBOXES_END,
    PAGE,
    PC_BUF,
    PC_BUF_END,
    TDMA_REGISTERS,
    TENSIX_CFG,
    TENSIX_CFG_END,
)
from tilelab.tensix.words.origin import BRISC
from tilelab.tensix.words.waits import WAIT_FIFO_FULL, WAIT_MAILBOX

TRIVIAL: Final = DIVIDE_TRIVIAL.value
LEAST: Final = DIVIDE_LEAST.value
MOST: Final = DIVIDE_MOST.value
BEYOND_BITS: Final = DIVIDE_BEYOND_BITS.value
STEP: Final = DIVIDE_STEP.value
SINGLE_ACCEPT: Final = QUEUE_WORDS.value - 1
NO_GATHERING: Final = 1 << 18
"""cfg0: adjacent .ttinsn are not fused."""


@kernel
def accepts(s: State, t: int) -> int:
    """Whether a thread's FIFO takes a TRISC's word; more of the same group follow it regardless."""
    if s.cycle.on and s.arch.push_accept >= 0:
        limit = s.arch.push_accept
        if s.riscv[t].cfg0 & NO_GATHERING:  # one at a time needs room for one
            limit = max(limit, SINGLE_ACCEPT)
        return 1 if tracked(s, t) <= limit else 0
    return 1


@kernel
def load_latency(s: State, core: int, address: int) -> int:
    """Cycles until what is loaded from an address can be used."""
    latency = s.arch.timing.load_tile
    if address < s.arch.l1_size:
        latency = s.arch.timing.load_l1
    elif LOCAL_RAM <= address < LOCAL_RAM + s.arch.local_ram[core]:
        latency = s.arch.timing.load_local
    elif PC_BUF <= address < PC_BUF_END or MAILBOXES <= address < MAILBOXES_END:
        latency = s.arch.timing.load_sync
    elif (
        GPRS <= address < GPRS + PAGE
        or TENSIX_CFG <= address < TENSIX_CFG_END
        or DST_WINDOW <= address < DST_WINDOW_END
        or (TDMA_REGISTERS <= address < TDMA_REGISTERS + PAGE and s.arch.dst_window)
    ):
        latency = s.arch.timing.load_config
    return max(1, spent(s, LOAD, latency))


@kernel
def operands_from(s: State, core: int, word: int) -> int:
    """From when on all registers that an instruction reads can be used."""
    opcode = major(word)
    at = s.cycle.register_at
    a = at[core, rs1(word)] if READS_RS1[opcode] else 0
    b = at[core, rs2(word)] if READS_RS2[opcode] else 0
    return max(a, b)


@kernel
def divide_cycles(dividend: int, divisor: int, is_signed: int) -> int:
    """How long a division occupies a core: 2 to 33 cycles, by the dividend's size in nibbles."""
    if divisor == 0 or divisor == 1:
        return TRIVIAL
    value = dividend
    if is_signed and dividend & 0x80000000:
        if divisor == WORD and dividend == 0x80000000:
            return TRIVIAL
        value = -dividend & WORD
    bits = 0
    while value:
        bits += STEP
        value >>= STEP
    return min(max(bits + BEYOND_BITS, LEAST), MOST)


@kernel
def spend(s: State, core: int, cycles: int, why: int) -> int:
    """Keep a core busy for more cycles than the one that every instruction takes."""
    s.cycle.core_free[core] = s.clock + cycles
    s.cycle.core_why[core] = why
    return OK


@kernel
def count_core(s: State, core: int, cause: int) -> int:
    """Count a core's cycle."""
    s.cycle.core_cycles[core, cause] = s.cycle.core_cycles[core, cause] + 1
    if s.cycle.trace_on:
        note_core(s, core, cause)
    return OK


@kernel
def count_waiting(s: State, core: int, code: int) -> int:
    """Count a cycle in which a load or a push has to be tried again."""
    if code == WAIT_FIFO_FULL:
        return count_core(s, core, causes.CORE_PUSH)
    return count_core(s, core, causes.CORE_MAILBOX if code == WAIT_MAILBOX else causes.CORE_SYNC)


@kernel
def push_group(s: State, core: int) -> int:
    """Execute a .ttinsn, and with it those behind it that fuse; OK, a wait or a check's code."""
    if core < BRISC and not accepts(s, core):
        return WAIT_FIFO_FULL
    hart = s.riscv[core]
    limit = s.arch.timing.push_group if core < BRISC and not hart.cfg0 & NO_GATHERING else 1
    for i in range(limit):
        pc = hart.pc
        word = fetch_word(s, core, pc)
        if word & 3 == 3:
            return OK
        code = step(s, core)
        if code != OK:
            return OK if i else code
        if s.cycle.trace_on:
            thread = core if core != BRISC else 0
            note(s, PUSH, core, tensix_word(word), thread, pc)
    return OK


@kernel
def finish(s: State, core: int, word: int, pc: int, a: int, b: int) -> int:
    """Book what an instruction with operands ``a``, ``b`` costs beyond its own cycle."""
    opcode = major(word)
    at = s.cycle.register_at
    target = rd(word)
    if opcode == Major.BRANCH:
        return follow(s, core, pc, s.riscv[core].pc if taken(word, a, b) else 0)
    if opcode in (Major.JAL, Major.JALR):
        follow(s, core, pc, s.riscv[core].pc)
    if opcode == Major.STORE:
        address = (a + s_offset(word)) & WORD
        if address < s.arch.l1_size:
            begin_store(s, core, address, 1 << (word >> 12 & 3))
        return OK
    if opcode in (Major.SYSTEM, Major.FENCE) and s.arch.timing.serialised > 1:
        spend(s, core, s.arch.timing.serialised, causes.CORE_BUSY)
    latency = 1
    if opcode == Major.LOAD:
        address = (a + i_offset(word)) & WORD
        latency = begin_load(s, core, address, load_latency(s, core, address))
    elif opcode == Major.ATOMIC:
        latency = max(1, spent(s, LOAD, s.arch.timing.load_atomic))
    elif opcode == Major.REGISTER and is_m(word):
        if divides(word):
            latency = divide_cycles(a, b, 1 - is_unsigned(word))
            spend(s, core, latency, causes.CORE_BUSY)
        else:
            latency = s.arch.timing.multiply_latency
            if s.arch.timing.multiply_busy > 1:
                spend(s, core, s.arch.timing.multiply_busy, causes.CORE_BUSY)
    if target:
        at[core, target] = s.clock + latency
    return OK


@kernel
def held(s: State, core: int) -> tuple[int, int]:
    """Until when at least a core's next instruction is held up, and why; the present: it is not.

    Until then it is so in every cycle, with or without a look.
    """
    now = s.clock
    cycle = s.cycle
    if cycle.core_free[core] > now:
        return cycle.core_free[core], cycle.core_why[core]
    pc = s.riscv[core].pc
    if instruction_late(s, core, pc):
        return cycle.fetch_ready[core], causes.CORE_FETCH
    word = fetch_word(s, core, pc)
    if word & 3 != 3:
        return now, 0
    operands = operands_from(s, core, word)
    if operands > now:
        return operands, causes.CORE_OPERAND
    opcode = major(word)
    if opcode == Major.STORE:
        if cycle.store_count[core] >= s.arch.timing.store_queue:
            address = (s.riscv[core].x[rs1(word)] + s_offset(word)) & WORD
            if address < s.arch.l1_size and store_waits(s, core, address):
                return now + 1, causes.CORE_STORE
    elif opcode == Major.LOAD:
        loads = cycle.load_until[core, cycle.load_next[core]]
        if loads > now:
            address = (s.riscv[core].x[rs1(word)] + i_offset(word)) & WORD
            if load_waits(s, core, load_latency(s, core, address)):
                return loads, causes.CORE_OPERAND
    return now, 0


@kernel
def begin(s: State, core: int) -> int:
    """Execute a core's next instruction, which nothing holds up; OK, a wait or a check's code."""
    hart = s.riscv[core]
    pc = hart.pc
    word = fetch_word(s, core, pc)
    if word & 3 != 3:
        return push_group(s, core)
    a = hart.x[rs1(word)]
    b = hart.x[rs2(word)]
    pushes = 0
    thread = core
    if major(word) == Major.STORE:
        address = (a + s_offset(word)) & WORD
        if INSTRN_BUF <= address < INSTRN_BUF_END:
            pushes = 1
            if core == BRISC:
                thread = (address - INSTRN_BUF) >> 16
            elif core < BRISC and not accepts(s, core):
                return WAIT_FIFO_FULL
    code = step(s, core)
    if code == OK:
        finish(s, core, word, pc, a, b)
        if pushes and s.cycle.trace_on:
            note(s, PUSH, core, b, thread, pc)
    return code


@kernel
def go(s: State, core: int) -> int:
    """A cycle of a core that nothing holds up before; OK, or a failed check's code."""
    code = begin(s, core)
    s.engine.core_wait[core] = code
    if code > 0:
        blame_core(s, core)
        return code
    if code < 0:
        return count_waiting(s, core, code)
    return count_core(s, core, causes.CORE_RETIRED)


@kernel
def tick_core(s: State, core: int) -> int:
    """One cycle of a core; OK, or a failed check's code."""
    until, why = held(s, core)
    if until == s.clock:
        return go(s, core)
    s.engine.core_wait[core] = 0
    return count_core(s, core, why)


@kernel
def run_ahead(s: State, core: int, end: int) -> int:
    """Cycles before a clock of a core that is alone, without what others or its queues notice.

    To the first with an effect, or that ends where the core was when it was remembered, or none.
    Only the fast engine's thorough code has a loop for this.
    """
    return OK


@kernel
def run_lone(s: State, core: int, end: int) -> int:
    """Cycles before a clock of a core that is alone; at least one, that with an effect the last.

    OK, or a failed check's code.
    """
    before = s.clock
    run_ahead(s, core, end)
    if s.clock > before:
        return OK
    until, why = held(s, core)
    if until == before:
        code = go(s, core)
        if code != OK:
            return code
        until += 1
    else:
        until = min(until, end)
        s.engine.core_wait[core] = 0
        count = s.cycle.core_cycles[core, why] + until - before
        s.cycle.core_cycles[core, why] = count
    return pass_alone(s, core, until)
