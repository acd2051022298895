"""The functional clock: what happens in a round, and when a run stops. ``batches`` runs many.

In a round every running core executes at most one RISC-V instruction (TRISC0, TRISC1, TRISC2,
BRISC), then every thread issues at most one Tensix instruction and moves at most one word through
each stage of its frontend. The order is fixed, so runs repeat exactly.

Why a run stops is one question, :func:`stop`, asked where a round (or a cycle) ends and nowhere
else: what a debugger waits for, the end of the run, what is watched, a full trace. Another reason
is another line there. Where many rounds go by at a stretch, :func:`rounds_to_stop` and
:func:`condition_met` say when it is to be asked.
"""

from typing import Final

from tilelab.sim.fifo import peek, peek_origin
from tilelab.sim.kernel import OK, kernel
from tilelab.tensix.backend.src_registers import SRCS, wait_src
from tilelab.tensix.backend.unpackers.banks import src_wait
from tilelab.tensix.backend.vector_unit.load_macro import elapse, settling
from tilelab.tensix.chips.opcodes import SFPNOP
from tilelab.tensix.cycle.events import MARGIN
from tilelab.tensix.frontend.fifo import LATE_CAPACITY
from tilelab.tensix.frontend.mop_expander import step_mop_expander
from tilelab.tensix.frontend.replay_expander import PLAY_BACK, step_replay_expander
from tilelab.tensix.frontend.wait_gate import evaluate_wait, pass_gate
from tilelab.tensix.riscv.core import advance
from tilelab.tensix.riscv.debug_hardware import watch_cores
from tilelab.tensix.run.execute import execute
from tilelab.tensix.run.polls.polling import SHOWS, leave_changed, leave_loops
from tilelab.tensix.run.stops import STOP_BREAK, look
from tilelab.tensix.run.stuck import stuck
from tilelab.tensix.state import TRACE_SLOTS
from tilelab.tensix.state.cycle_record import EVENT_SLOTS
from tilelab.tensix.state.records import State
from tilelab.tensix.state.stop_notes import CORES_WATCHED, STOPS_WANTED
from tilelab.tensix.words.waits import WAIT_SRC_MATRIX, WAIT_SRC_UNPACK

STOP_CONDITION: Final = -101
STOP_IDLE: Final = -102
STOP_STUCK: Final = -103
STOP_TRACE: Final = -104
STOP_END: Final = -105
STOP_NOC: Final = -106

MATH_THREAD: Final = 1


@kernel
def issued(s: State, t: int, word: int, origin: int) -> int:
    """Count an issued instruction, and note it if a trace is wanted."""
    engine = s.engine
    opcode = word >> 24
    engine.issued[t, opcode] += 1
    if engine.polling and SHOWS[opcode]:
        engine.shown = 1
    if engine.trace_on:
        n = engine.trace_count
        engine.trace_clock[n] = s.clock
        engine.trace_thread[n] = t
        engine.trace_word[n] = word
        engine.trace_origin[n] = origin
        engine.trace_count = n + 1
    return OK


@kernel
def blame(s: State, thread: int, word: int, origin: int) -> int:
    """Note which thread's word failed a check."""
    s.engine.fault_thread = thread
    s.engine.fault_word = word
    s.engine.fault_origin = origin
    return OK


@kernel
def is_vector(s: State, word: int) -> int:
    """Whether a word is an instruction of the vector unit."""
    return 1 if s.arch.vector.first <= word >> 24 <= s.arch.vector.last else 0


@kernel
def lacks_bank(s: State, t: int) -> int:
    """Whether the word at a thread's gate waits for a bank that it has not been given since.

    It is asked again once it has been.
    """
    code = s.engine.gate_wait[t]
    for which in SRCS:
        if code == WAIT_SRC_MATRIX[which]:
            return 1 if wait_src(s, which) != OK else 0
        if code == WAIT_SRC_UNPACK[which]:
            return 1 if src_wait(s, which, 0) != OK and src_wait(s, which, 1) != OK else 0
    return 0


@kernel
def gate(s: State, t: int) -> int:
    """Try to issue the word at a thread's wait gate; OK, or a failed check's code."""
    f = s.frontend[t]
    if lacks_bank(s, t):
        s.engine.stalled[t] += 1
        return OK
    waited = f.wait.kind
    word = f.gate_word
    origin = f.gate_origin
    code = pass_gate(s, t)
    if code == OK:
        code = execute(s, t, word)
    s.engine.gate_wait[t] = code
    if code == OK:
        f.gate_full = 0
        f.issued += 1
        s.engine.moved = 1
        if is_vector(s, word):
            s.engine.vector = 1
        if f.wait.kind and not waited:
            f.wait.word = word
            f.wait.origin = origin
        return issued(s, t, word, origin)
    if code > 0:
        blame(s, t, word, origin)
        return code
    s.engine.stalled[t] += 1
    return OK


@kernel
def step_thread(s: State, t: int) -> int:
    """One round of a thread, its last stage first; OK, or a failed check's code."""
    f = s.frontend[t]
    waited = f.wait.kind
    if f.gate_full:
        code = gate(s, t)
        if code != OK:
            return code
    if waited:
        evaluate_wait(s, t)
        if not f.wait.kind:
            s.engine.moved = 1
    if not f.gate_full and (f.late_fifo.count or f.replay_mode == PLAY_BACK):
        code = expand_replay(s, t)
        if code != OK:
            return code
        s.engine.moved = 1
    return expand_mop(s, t)


@kernel
def expand(s: State, t: int) -> int:
    """One round of a thread's expanders, the later one first, whose gate is free.

    OK, or a failed check's code.
    """
    code = expand_replay(s, t)
    return code if code != OK else expand_mop(s, t)


@kernel
def expand_replay(s: State, t: int) -> int:
    """One round of a thread's replay expander; OK, or a failed check's code."""
    code = step_replay_expander(s, t)
    if code != OK:
        f = s.frontend[t]
        blame(s, t, peek(f.late_fifo), peek_origin(f.late_fifo))
    return code


@kernel
def expand_mop(s: State, t: int) -> int:
    """One round of a thread's MOP expander; OK, or a failed check's code."""
    f = s.frontend[t]
    if f.mop_active and f.late_fifo.count >= LATE_CAPACITY:
        return OK  # the expander would find that out itself, but much slower
    if f.mop_active or f.input_fifo.count:
        before = f.input_fifo.count + f.late_fifo.count
        code = step_mop_expander(s, t)
        if code != OK:
            blame(s, t, peek(f.input_fifo), peek_origin(f.input_fifo))
            return code
        if before != f.input_fifo.count + f.late_fifo.count:
            s.engine.moved = 1
    return OK


@kernel
def in_flight(s: State, t: int) -> int:
    """Whether a thread's frontend holds a word."""
    f = s.frontend[t]
    if f.gate_full or f.late_fifo.count or f.input_fifo.count or f.mop_active:
        return 1
    return 1 if f.replay_mode == PLAY_BACK else 0


@kernel
def stepped_cores(s: State) -> int:
    """Bit per core that runs and is to be stepped: not of those that poll, or are to wait on."""
    mask = 0
    for core in range(s.arch.cores):
        mask |= (1 if s.riscv[core].running else 0) << core
    return mask & ~(s.engine.polling | s.engine.waiting)


@kernel
def step_cores_from(s: State, first: int) -> int:
    """One round of the running cores from ``first`` on; OK, or a failed check's code."""
    for core in range(first, s.arch.cores):
        if s.riscv[core].running and not s.engine.polling >> core & 1:
            code = advance(s, core)
            if code > 0:
                return code
            if s.engine.polling and s.engine.shown:
                leave_changed(s, core + 1)
    return OK


@kernel
def finish_round(s: State, first: int) -> int:
    """The rest of a round of the cores alone, from core ``first`` on; OK or a check's code.

    What those before it did in this round may be what a polling core waits for.
    """
    if first and s.engine.polling:
        leave_changed(s, first)
    code = step_cores_from(s, first)
    if code == OK:
        s.clock += 1
    return code


@kernel
def pass_time(s: State, vector: int) -> int:
    """Let a round's time pass; ``vector``: an instruction of the vector unit was issued in it.

    OK, or a failed check's code.
    """
    s.clock += 1
    if s.vector.load_macro.busy and not vector:
        code = idle_vector_unit(s)
        if code != OK and s.engine.polling:
            leave_loops(s, 0)
        return code
    return OK


@kernel
def end_round(s: State) -> int:
    """End a round: time passes; OK, a STOP code, or a failed check's code."""
    code = pass_time(s, s.engine.vector)
    return stop(s) if code == OK else code


@kernel
def idle_vector_unit(s: State) -> int:
    """Let the time pass for what SFPLOADMACRO scheduled, as an SFPNOP would."""
    code = elapse(s, 0)
    if code != OK:
        blame(s, MATH_THREAD, SFPNOP << 24, 0)
    return code


@kernel
def quiet(s: State) -> int:
    """Whether no core runs and neither a thread nor the vector unit has anything in flight."""
    for core in range(s.arch.cores):
        if s.riscv[core].running:
            return 0
    for t in range(s.arch.threads):
        if in_flight(s, t):
            return 0
    return 0 if settling(s) else 1


@kernel
def condition_met(s: State) -> int:
    """Whether every watched word of L1 holds its value; or one does not, if changes are watched."""
    engine = s.engine
    if engine.watches == 0:
        return 0
    for i in range(engine.watches):
        if s.l1_32[engine.watch_address[i] >> 2] != engine.watch_value[i]:
            return engine.watch_changes
    return 0 if engine.watch_changes else 1


@kernel
def stop(s: State) -> int:
    """Whether a run stops here, between two rounds: OK or a STOP code."""
    engine = s.engine
    if engine.attention:
        if engine.attention & CORES_WATCHED:
            watch_cores(s)
        if engine.attention & STOPS_WANTED and look(s):
            return STOP_BREAK
    if condition_met(s):
        return STOP_CONDITION
    if s.clock >= engine.end:
        return STOP_END
    if (
        engine.trace_count > TRACE_SLOTS - s.arch.threads
        or s.cycle.event_count > EVENT_SLOTS - MARGIN
    ):
        return STOP_TRACE
    if s.noc.requests > s.noc.held:
        return STOP_NOC
    return OK


@kernel
def rounds_to_stop(s: State) -> int:
    """Rounds that issue a word each, until :func:`stop` may find more than a watched condition.

    At least one; for rounds of which none counts ``s.effects`` up, while nobody pays attention.
    """
    engine = s.engine
    rounds = engine.end - s.clock
    if engine.wake_at:
        rounds = min(rounds, engine.wake_at - s.clock)
    if engine.trace_on:  # the round that fills the trace is the last
        rounds = min(rounds, TRACE_SLOTS - s.arch.threads + 1 - engine.trace_count)
    return rounds


@kernel
def stop_unless_stuck(s: State, code: int, rounds: int) -> int:
    """The code with which rounds ended, or STOP_STUCK if nothing can change any more."""
    if code > OK or code in (STOP_BREAK, STOP_NOC):
        return code
    return STOP_STUCK if stuck(s, rounds) else code


@kernel
def run_cores(s: State, rounds: int) -> int:
    """Run rounds of the cores alone, to the first in which one does what others could notice.

    OK, or a failed check's code. The fast engine has a loop of its own for this.
    """
    effects = s.effects
    for _ in range(rounds):
        code = finish_round(s, 0)
        if code != OK:
            return code
        if s.effects != effects:
            break
    return OK
