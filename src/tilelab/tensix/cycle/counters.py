"""What the performance counters count in a cycle, while a bank of them is on.

A signal that the documents name in a sentence is here what the cycle clock knows of it; figures of
tt-metal#56320 (perf_matmul and perf_eltwise_binary on a card), and of mesham/tt-sim@8b031a6
(mechbench on an n300), decided what that sentence leaves open.

A thread is stalled while a latched STALLWAIT or SEMWAIT holds its word, and not while a unit is
busy or a bank is not there: on the card such words wait in queues behind the gate (packers busy in
98.5 % of all cycles, their thread stalled in 3.8 %). Nor while a wait holds the TDMA's words
(STALL_TDMA): mechbench's T2 waits for its semaphore in 3561 and 2805 cycles, and is stalled in 270
and 249, all of other waits; MATH_ISOLATE's T0 does little else, and is stalled in 0.0 %. What a
wait waits for is counted while the wait is there, in its last cycle and if it is met as well:
mechbench's T1 waits for the vector unit, which does nothing, as long as for the matrix unit, 38 and
34 cycles, and is stalled in 36 and 30. A matrix word without operands is available (mechbench: in
4071 cycles of 4317). CLEARDVALID is no word of the FPU (UNPACK_ISOLATE: T1 executes it and nothing
else there, and the FPU is used in 0.0 %).

Not modelled: what SFPLOADMACRO schedules is no cycle of the vector unit here; words of the misc
unit are of no class, as none is documented. ``tables/performance_counters.txt``
lists counters that are missing altogether.
"""

from tilelab.sim.kernel import OK, kernel
from tilelab.tensix.backend.sync_unit import NO_WAIT, SEMWAIT
from tilelab.tensix.chips.opcodes import CLEARDVALID, UNPACR
from tilelab.tensix.state.records import State
from tilelab.tensix.tables import causes
from tilelab.tensix.tables.figures import (
    MATRIX_PORT,
    UNPACK_PORT,
    VECTOR_PORT,
)
from tilelab.tensix.tables.performance_counters import (
    ANY_STALL,
    AVAILABLE,
    BANKS,
    FPU,
    INSTRUCTIONS,
    L1_UNPACKER,
    MATH,
    MATH_AVAILABLE,
    MATH_STARTED,
    NO_CLASS,
    NONFULL_SEM,
    NONZERO_SEM,
    NOT_SCOREBOARD,
    PACK_BUSY,
    SFPU,
    SHARED,
    STALLS,
    THREADS,
    UNPACK_BUSY,
    WAITING,
    WAITS,
    Bank,
)
from tilelab.tensix.tables.units import Block

WAIT_OF_PIPE = (
    *(WAITS.index(f"{unit}_IDLE") for unit in ("THCON", "UNPACK", "UNPACK")),
    *(WAITS.index("PACK_IDLE"),) * 4,
    *(WAITS.index(f"{unit}_IDLE") for unit in ("MATH", "SFPU", "CFG", "MOVE")),
)
"""Which wait a STALLWAIT on each pipeline is, as ``tables/figures.py`` numbers them."""
THREAD_BANK = int(Bank.INSTRN_THREAD)
FPU_BANK = int(Bank.FPU)
UNPACK_BANK = int(Bank.TDMA_UNPACK)
PACK_BANK = int(Bank.TDMA_PACK)
L1_BANK = int(Bank.L1)
STALL_TDMA = int(Block.TDMA)
REASONS = len(WAITS)
BANK_CONDITIONS = 4


@kernel
def up(s: State, bank: int, event: int) -> int:
    """A signal is high in this cycle."""
    s.cycle.counted[event] = s.cycle.counted[event] + (s.cycle.count_on >> bank & 1)
    return OK


@kernel
def count_waits(s: State) -> int:
    """What latched waits wait for, met or not: called before the gates decide."""
    shared = 0
    for t in range(min(THREADS, s.arch.threads)):
        wait = s.frontend[t].wait
        if wait.kind == NO_WAIT:
            continue
        reasons = 0
        if wait.kind == SEMWAIT:
            reasons |= (wait.condition_mask & 1) << NONZERO_SEM
            reasons |= (wait.condition_mask >> 1 & 1) << NONFULL_SEM
        else:
            for bit in range(s.arch.condition_bits):
                if wait.condition_mask >> bit & 1:
                    pipe = s.arch.timing.conditions[bit]
                    if pipe >= 0:
                        reasons |= 1 << WAIT_OF_PIPE[pipe]
                    elif pipe == -1:
                        shared |= 1 << bit - s.arch.condition_src_a_cleared
        for reason in range(REASONS):
            if reasons >> reason & 1:
                up(s, THREAD_BANK, WAITING + REASONS * t + reason)
    for condition in range(BANK_CONDITIONS):
        if shared >> condition & 1:
            up(s, THREAD_BANK, SHARED + condition)
    return OK


@kernel
def stalled(s: State, t: int) -> int:
    """Whether a latched wait holds a thread's word, and not the TDMA's words."""
    cause = s.cycle.cause[t]
    if cause < causes.WAIT_SEMAPHORE or cause > causes.WAIT_LAG:
        return 0
    return 0 if s.frontend[t].wait.block_mask & STALL_TDMA else 1


@kernel
def count_gates(s: State) -> int:
    """What became of the threads' words: called when the gates' turns are over."""
    cycle = s.cycle
    any_stall = 0
    math = 0  # 1: one is there; 2: one that no scoreboard holds; 4: matrix, 8: vector unit
    for t in range(min(THREADS, s.arch.threads)):
        cause = cycle.cause[t]
        opcode = s.frontend[t].gate_word >> 24
        port = s.arch.timing.port[opcode]
        if stalled(s, t):
            up(s, THREAD_BANK, STALLS + t)
            any_stall = 1
        issued = cause == causes.ISSUED
        if issued:
            up(s, THREAD_BANK, INSTRUCTIONS + t)
        if issued or cause == causes.UNIT_TAKEN or cause == causes.BANK_MATRIX:
            group = s.arch.counter_class[opcode]
            if group != NO_CLASS:
                up(s, THREAD_BANK, AVAILABLE + THREADS * group + t)
        held = causes.FIFO_EMPTY <= cause <= causes.WAIT_LAG
        computes = port == VECTOR_PORT or (port == MATRIX_PORT and opcode != CLEARDVALID)
        if computes and not held:
            math |= 1 if cause == causes.DST_HAZARD else 3
            if issued:
                math |= 4 if port == MATRIX_PORT else 8
    if any_stall:
        up(s, THREAD_BANK, ANY_STALL)
    if math & 1:
        up(s, UNPACK_BANK, MATH_AVAILABLE)
    if math & 2:
        up(s, PACK_BANK, NOT_SCOREBOARD)
    if math & 4:
        up(s, FPU_BANK, FPU)
    if math & 8:
        up(s, FPU_BANK, SFPU)
    if math & 12:
        up(s, FPU_BANK, MATH)
        up(s, UNPACK_BANK, MATH_STARTED)
    return OK


@kernel
def waits_within(s: State, t: int, u: int) -> int:
    """Whether a thread's word for an unpacker waits for its bank: on a card it has been taken."""
    word = s.frontend[t].gate_word
    if s.cycle.cause[t] != causes.BANK_UNPACK or s.arch.timing.port[word >> 24] != UNPACK_PORT:
        return 0
    return 1 if UNPACR.unpack_block_selection(word) == u else 0


@kernel
def count_movers(s: State) -> int:
    """Unpackers and packers that are at work."""
    cycle = s.cycle
    for u in range(2):
        fetches = cycle.read_end[u] > s.clock
        for t in range(2):
            if (fetches and cycle.read_thread[u, 0] == t) or waits_within(s, t, u):
                up(s, UNPACK_BANK, UNPACK_BUSY + 2 * t + u)
        if u == 0 and fetches and cycle.read_from[u] <= s.clock:
            up(s, L1_BANK, L1_UNPACKER)
    for p in range(4):
        if cycle.pack_end[p] and cycle.pack_end[p] + s.arch.timing.pack_stages > s.clock:
            up(s, PACK_BANK, PACK_BUSY + p)
    return OK


@kernel
def count_cycle(s: State) -> int:
    """What is counted when the gates' turns of a cycle are over."""
    for bank in range(BANKS):
        if s.cycle.count_on >> bank & 1:
            s.cycle.count_cycles[bank] = s.cycle.count_cycles[bank] + 1
    count_gates(s)
    return count_movers(s)
