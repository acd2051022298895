"""The cycle clock: one cycle of the whole tile, and runs of many. Both engines run this.

A cycle has phases. Changes of bank owners that are due appear; every gate decides from what is
there then; gates whose turn it is issue; frontends move, last stage first; cores execute. Which
thread is visited first within a phase (``state.cycle.order``) changes nothing. Cores execute in
order of their numbers: what one stores in a cycle, those after it may load in that same cycle.
"""

from tilelab.sim.fifo import peek, peek_origin
from tilelab.sim.kernel import OK, kernel
from tilelab.tensix.backend.sync_unit import NO_WAIT
from tilelab.tensix.backend.vector_unit.load_macro import settling
from tilelab.tensix.cycle.banks import bank_bits, before_gift, show_pending
from tilelab.tensix.cycle.counters import count_cycle, count_waits
from tilelab.tensix.cycle.events import ISSUE, note, note_gate
from tilelab.tensix.cycle.frontend import shift_gate, tick_mop, tick_replay
from tilelab.tensix.cycle.reads import follow_reads
from tilelab.tensix.cycle.shared_port import share_port
from tilelab.tensix.cycle.units import (
    count_idle,
    dst_block,
    hazard,
    occupy,
    port_accepts,
)
from tilelab.tensix.cycle.waits import NOTHING, ZERO_SHIFT, count_wait, find_unmet
from tilelab.tensix.frontend.wait_gate import pass_gate
from tilelab.tensix.run.core_cycles import run_cores_alone, tick_cores
from tilelab.tensix.run.execute import execute
from tilelab.tensix.run.rounds import (
    STOP_END,
    STOP_IDLE,
    blame,
    idle_vector_unit,
    is_vector,
    issued,
    quiet,
    stop,
    stop_unless_stuck,
)
from tilelab.tensix.state.records import State
from tilelab.tensix.tables import causes
from tilelab.tensix.tables.figures import MATRIX_PORT, NO_PORT, UNPACK_PORT, VECTOR_PORT
from tilelab.tensix.words.waits import (
    WAIT_LATCHED,
    WAIT_MUTEX,
    WAIT_SRC_MATRIX,
)


@kernel
def latched_cause(s: State, source: int) -> int:
    """Which cause a latched wait's unmet condition is."""
    if source == NOTHING:
        return causes.WAIT_LAG
    if source >= ZERO_SHIFT:
        return causes.WAIT_SEMAPHORE
    if s.arch.timing.conditions[source] == -1:
        return causes.WAIT_BANK
    return causes.WAIT_UNIT


@kernel
def unit_cause(s: State, t: int, word: int, port: int) -> int:
    """ISSUED if the word's unit can take it in this cycle, otherwise why not."""
    if port == NO_PORT:
        return causes.ISSUED
    if not port_accepts(s, word, port):
        if port == VECTOR_PORT and s.cycle.vector_from > s.clock:
            return causes.RESULT_LATE
        return causes.UNIT_BUSY
    if port == MATRIX_PORT:
        if hazard(s, t, word):
            return causes.DST_HAZARD
        if before_gift(s, t, word):
            return causes.BANK_MATRIX
    return causes.ISSUED


@kernel
def decide(s: State, t: int) -> int:
    """A gate's decision from the state as the cycle begins: OK or a failed check's code."""
    f = s.frontend[t]
    cycle = s.cycle
    cycle.wants[t] = 0
    source = NOTHING
    waited = f.wait.kind
    if waited:
        source = find_unmet(s, t)
        cycle.wait_source[t] = source
    s.engine.gate_wait[t] = OK
    if not f.gate_full:
        cycle.cause[t] = cycle.replay_bubble[t]
    elif cycle.held_until[t] > s.clock:
        cycle.cause[t] = causes.THREAD_HELD
    else:
        code = pass_gate(s, t)
        if code > 0:
            return code
        if code == WAIT_LATCHED:
            s.engine.gate_wait[t] = code
            cycle.cause[t] = latched_cause(s, source)
            if source != NOTHING:
                count_wait(s, t, source)
        else:
            word = f.gate_word
            port = s.arch.timing.port[word >> 24]
            cause = unit_cause(s, t, word, port)
            cycle.cause[t] = cause
            cycle.port[t] = port
            if cause == causes.ISSUED:
                cycle.wants[t] = 1
            elif cause == causes.UNIT_BUSY:
                cycle.busy_with[t, port] = cycle.busy_with[t, port] + 1
    if waited and source == NOTHING:
        f.wait.kind = NO_WAIT
        s.engine.moved = 1
    return OK


@kernel
def waiting_cause(code: int) -> int:
    """Which cause a kernel's wait code is."""
    if code == WAIT_MUTEX:
        return causes.MUTEX
    if code in WAIT_SRC_MATRIX:
        return causes.BANK_MATRIX
    return causes.BANK_UNPACK


@kernel
def try_issue(s: State, t: int) -> int:
    """Issue the word at a gate that has decided to, unless its unit was taken; a check's code."""
    cycle = s.cycle
    if not cycle.wants[t]:
        return OK
    cycle.wants[t] = 0
    f = s.frontend[t]
    word = f.gate_word
    origin = f.gate_origin
    port = cycle.port[t]
    if port != NO_PORT and not port_accepts(s, word, port):
        cycle.cause[t] = causes.UNIT_TAKEN
        return OK
    latched = f.wait.kind
    block = dst_block(s, t, word) if port == MATRIX_PORT else 0
    before = bank_bits(s)
    cycle.work = 0
    cycle.rows = 0
    cycle.adds = 0
    code = execute(s, t, word)
    s.engine.gate_wait[t] = code
    if code > 0:
        return code
    if code < 0:
        cycle.cause[t] = waiting_cause(code)
        if port == UNPACK_PORT and not cycle.bank_since[t]:
            cycle.bank_since[t] = s.clock
        return OK
    cycle.port_winner[port] = t
    end = occupy(s, t, word, block, before)
    cycle.bank_since[t] = 0
    f.gate_full = 0
    f.issued = f.issued + 1
    s.engine.moved = 1
    if is_vector(s, word):
        s.engine.vector = 1
    if cycle.first_issue[t] == 0:
        cycle.first_issue[t] = s.clock + 1
    cycle.last_issue[t] = s.clock + 1
    if f.wait.kind and not latched:
        f.wait.word = word
        f.wait.origin = origin
    if cycle.trace_on:
        note(s, ISSUE, t, word, end - s.clock, origin)
    return issued(s, t, word, origin)


@kernel
def issue_in_turn(s: State, t: int) -> int:
    """Issue a thread's word after those of threads whose turn is before its, for the same unit.

    The thread that a unit took a word of last comes last. Who waits for a block of Dst when its
    turn comes keeps the matrix unit from the others (mesham/tt-sim@8b031a6, after a matmul: a
    thread that goes from block to block is as slow as two beside it that stay on one).
    """
    port = s.cycle.port[t]
    if not s.cycle.wants[t]:
        return OK
    winner = s.cycle.port_winner[port]
    for k in range(s.arch.threads):
        other = (winner + 1 + k) % s.arch.threads
        if other == t:
            break
        if s.cycle.cause[other] == causes.DST_HAZARD and s.cycle.port[other] == port:
            s.cycle.wants[t] = 0
            s.cycle.cause[t] = causes.UNIT_TAKEN
            return OK
        if s.cycle.wants[other] and s.cycle.port[other] == port:
            code = try_issue(s, other)
            if code != OK:
                blame(s, other, s.frontend[other].gate_word, s.frontend[other].gate_origin)
                return code
    code = try_issue(s, t)
    if code != OK:
        blame(s, t, s.frontend[t].gate_word, s.frontend[t].gate_origin)
    return code


@kernel
def move_frontend(s: State, t: int) -> int:
    """Move a thread's expanders, the later one first; OK or a failed check's code."""
    f = s.frontend[t]
    shift_gate(s, t)
    code = tick_replay(s, t)
    if code != OK:
        blame(s, t, peek(f.late_fifo), peek_origin(f.late_fifo))
        return code
    code = tick_mop(s, t)
    if code != OK:
        blame(s, t, peek(f.input_fifo), peek_origin(f.input_fifo))
    return code


@kernel
def empty(s: State, t: int) -> int:
    """Whether a thread has nothing at all, and its expanders passed that on: nothing will move."""
    f = s.frontend[t]
    cycle = s.cycle
    if f.gate_full or f.input_fifo.count or f.late_fifo.count or f.mop_active or f.wait.kind:
        return 0
    if cycle.behind_full[t] or cycle.dead[t] or f.replay_mode or cycle.wants[t]:
        return 0
    if cycle.mop_bubble[t] != causes.FIFO_EMPTY or cycle.replay_bubble[t] != causes.FIFO_EMPTY:
        return 0
    return 1 if cycle.cause[t] == causes.FIFO_EMPTY else 0


@kernel
def run_cycle(s: State) -> int:
    """Run one cycle; OK, or a failed check's code."""
    cycle = s.cycle
    s.engine.moved = 1 if cycle.active_until > s.clock or settling(s) else 0
    s.engine.vector = 0
    if cycle.read_event and cycle.read_event <= s.clock:
        follow_reads(s)
    if cycle.pending_any:
        show_pending(s)
    if s.arch.timing.pack_port:
        share_port(s)
    if cycle.count_on:
        count_waits(s)
    busy = 0
    for i in range(s.arch.threads):
        t = cycle.order[i]
        if empty(s, t):
            cycle.thread_cycles[t, causes.FIFO_EMPTY] = (
                cycle.thread_cycles[t, causes.FIFO_EMPTY] + 1
            )
            if cycle.trace_on:
                note_gate(s, t)
            continue
        busy |= 1 << t
        code = decide(s, t)
        if code != OK:
            blame(s, t, s.frontend[t].gate_word, s.frontend[t].gate_origin)
            return code
    for i in range(s.arch.threads if busy else 0):
        code = issue_in_turn(s, cycle.order[i])
        if code != OK:
            return code
    if cycle.count_on:
        count_cycle(s)
    cycle.unit_seen = 0
    for i in range(s.arch.threads if busy else 0):
        t = cycle.order[i]
        if not busy >> t & 1:
            continue
        cause = cycle.cause[t]
        cycle.thread_cycles[t, cause] = cycle.thread_cycles[t, cause] + 1
        if cause > causes.RECORDED:
            s.engine.stalled[t] = s.engine.stalled[t] + 1
            count_idle(s, t)
        if cycle.trace_on:
            note_gate(s, t)
        code = move_frontend(s, t)
        if code != OK:
            return code
    if s.vector.load_macro.busy and not s.engine.vector:
        code = idle_vector_unit(s)
        if code != OK:
            return code
    return tick_cores(s)


@kernel
def cores_alone(s: State) -> int:
    """Whether nothing but the cores has anything to do, or is to be looked at."""
    cycle = s.cycle
    if cycle.pending_any or cycle.trace_on or cycle.count_on or s.engine.attention:
        return 0
    if cycle.active_until > s.clock or settling(s):
        return 0
    for t in range(s.arch.threads):
        if not empty(s, t):
            return 0
    return 1


@kernel
def run_cycles(s: State, count: int) -> int:
    """Run up to ``count`` cycles: OK, a STOP code, or a failed check's code."""
    s.engine.end = s.clock + count
    code = stop(s)
    while code == OK:
        if quiet(s) and s.cycle.active_until <= s.clock:
            if s.cycle.pending_any:
                show_pending(s)
            return STOP_IDLE
        code = run_cores_alone(s) if cores_alone(s) else run_cycle(s)
        if code == OK:
            code = stop_unless_stuck(s, stop(s), 1)
    return OK if code == STOP_END else code
