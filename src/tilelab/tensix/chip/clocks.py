"""A chip in step with its host: a clock of the host is as much as the vendor's simulator does.

Recorded calls of a host that polls have the same replies only where a clock is worth the same. The
vendor's simulator lets every tile do this in a clock, one tile after the other: each running core
executes an instruction (BRISC, the TRISCs, NCRISC), then each thread issues a word, and all of that
again until no thread issued one. What a core pushes is expanded at once and queues up, without
NOPs; a core that pushes waits while more than :data:`ROOM` words do. A wait at a thread's head
holds back everything behind it, and is issued when it is over. NoC requests are done where they are
made.
Wormhole's Ethernet tiles come last, an instruction each: their core runs what the host wrote.

Source: the vendor's ttsim 1.10, by what its programs' recordings show. ``turns`` is how a chip runs
whose host does not count, ``rest`` what tiles cost that only poll.
"""

from typing import Final

from tilelab.sim.checks import check, fault
from tilelab.sim.errors import UnimplementedFunctionalityError
from tilelab.sim.kernel import OK, kernel
from tilelab.tensix.chip.network import deliver
from tilelab.tensix.chip.record import QUEUE, THREADS, ChipState
from tilelab.tensix.chip.rest import runs, watch
from tilelab.tensix.chips.opcodes import NOP
from tilelab.tensix.frontend.replay_expander import PLAY_BACK, step_replay_expander
from tilelab.tensix.frontend.wait_gate import evaluate_wait
from tilelab.tensix.riscv.core import advance, fetch_word
from tilelab.tensix.run.rounds import blame, expand_mop, gate, idle_vector_unit
from tilelab.tensix.state.records import Frontend, State
from tilelab.tensix.words.origin import BRISC

ROOM: Final = 52
"""Words that may wait for a thread when a core pushes another."""
NOTHING: Final = NOP << 24
MOST_ROUNDS: Final = 1 << 20
"""Of a tile in one clock, if its threads never come to rest."""

NO_ROOM = check(
    "queue-in-step",
    UnimplementedFunctionalityError,
    f"{{value:#010x}} would be word {QUEUE} that waits for its thread: a chip in step has no room",
    page="PushTensixInstruction.md",
    cure="let the chip run ahead of its host",
)


@kernel
def pass_clock(c: ChipState) -> int:
    """One clock: OK, PROBLEM, a failed check's code, or a wish for host memory: call it again."""
    while c.turn < c.states:
        if not c.resting[c.turn]:
            code = clock_tile(c, c.tile[c.turn], c.turn)
            if code != OK:
                return code
            c.round = 0
        c.turn += 1
    c.turn = 0
    c.time += 1
    return OK


@kernel
def clock_tile(c: ChipState, s: State, i: int) -> int:
    """A tile's clock: rounds until none issues a word."""
    s.clock = c.time
    issued = 1
    while issued and c.round < MOST_ROUNDS:
        code = step_cores(c, s, i)
        if code != OK:
            return code
        issued = 0
        if c.stirring[i]:
            code, issued = step_threads(c, s, i)
            if code != OK:
                return code
        c.round += 1
    return watch(c, s, i, 1 if c.round > 1 else 0)


@kernel
def step_cores(c: ChipState, s: State, i: int) -> int:
    """An instruction of each core that ran when the round began; and what it asked of the NoC."""
    position = c.position
    if position == 0 and c.anew[i]:
        note_running(c, s, i)
    running = c.running[i]
    while position < s.arch.cores:
        core = core_at(position)
        if running >> core & 1:
            code = step_core(c, s, i, core)
            if code != OK:
                c.position = position
                return code
        position += 1
    c.position = 0
    return OK


@kernel
def note_running(c: ChipState, s: State, i: int) -> int:
    """Note which cores of a tile run, for as long as nobody does what others can notice; OK."""
    running = 0
    for core in range(s.arch.cores):
        running |= runs(c, s, i, core) << core
    c.running[i] = running
    c.anew[i] = 0
    return OK


@kernel
def core_at(position: int) -> int:
    """The cores' order: BRISC, TRISC0 to 2, NCRISC."""
    if position == 0:
        return BRISC
    return position - 1 if position <= BRISC else position


@kernel
def step_core(c: ChipState, s: State, i: int, core: int) -> int:
    """An instruction of one core, and what came of it: OK, or why to call it again, or a check."""
    if not c.delivering:
        effects = s.effects
        code = execute_one(c, s, i, core)
        if code != OK or s.effects == effects:
            return code
        c.anew[i] = 1
        c.stirring[i] = 1
        code = expand_pushed(c, s, i)
        if code != OK:
            return code
        c.delivering = 1 if s.noc.requests else 0
    if c.delivering:
        code = deliver(c, i)
        if code != OK:
            return code
        c.delivering = 0
    return OK


@kernel
def execute_one(c: ChipState, s: State, i: int, core: int) -> int:
    """An instruction of one core, if there is room for what it pushes: OK or a check's code."""
    pushes = 0 if core == BRISC else core  # which thread its .ttinsn goes to
    if pushes < THREADS and c.queued[THREADS * i + pushes] >= ROOM:
        if fetch_word(s, core, s.riscv[core].pc) & 3 != 3 and waiting(c, s, i, pushes) > ROOM:
            return OK
    code = advance(s, core)
    return code if code > 0 else OK


@kernel
def expand_pushed(c: ChipState, s: State, i: int) -> int:
    """Expand what a tile's cores have pushed: OK or a failed check's code."""
    for t in range(THREADS):
        f = s.frontend[t]
        if f.input_fifo.count or f.late_fifo.count:
            code = expand(c, s, THREADS * i + t, t)
            if code != OK:
                return code
    return OK


@kernel
def waiting(c: ChipState, s: State, i: int, t: int) -> int:
    """How many words wait for a thread, the one at its gate and a wait among them."""
    f = s.frontend[t]
    held = 1 if f.wait.kind else f.gate_full
    return c.queued[THREADS * i + t] + held


@kernel
def expand(c: ChipState, s: State, queue: int, t: int) -> int:
    """Expand everything that was pushed to a thread, into its queue; its head is at the gate."""
    f = s.frontend[t]
    full = f.gate_full
    word = f.gate_word
    origin = f.gate_origin
    f.gate_full = 0
    while f.input_fifo.count or f.mop_active or f.late_fifo.count or f.replay_mode == PLAY_BACK:
        code = expand_mop(s, t)
        if code == OK:
            code = step_replay_expander(s, t)
        if code != OK:
            blame(s, t, f.gate_word, f.gate_origin)
            return code
        if f.gate_full and f.gate_word != NOTHING:
            if c.queued[queue] >= QUEUE - 1:
                return fault(s, NO_ROOM, f.gate_word)
            put(c, queue, f)
        f.gate_full = 0
    f.gate_full = full
    f.gate_word = word
    f.gate_origin = origin
    return take(c, queue, f)


@kernel
def put(c: ChipState, queue: int, f: Frontend) -> int:
    """Put the word at the gate at the end of a queue."""
    at = (c.queue_first[queue] + c.queued[queue]) % QUEUE
    c.queue_word[queue, at] = f.gate_word
    c.queue_origin[queue, at] = f.gate_origin
    c.queued[queue] += 1
    return OK


@kernel
def take(c: ChipState, queue: int, f: Frontend) -> int:
    """Bring the next word of a queue to the gate, if that is free and no wait holds it back."""
    if c.queued[queue] and not f.gate_full and not f.wait.kind:
        at = c.queue_first[queue]
        f.gate_word = c.queue_word[queue, at]
        f.gate_origin = c.queue_origin[queue, at]
        f.gate_full = 1
        c.queue_first[queue] = (at + 1) % QUEUE
        c.queued[queue] -= 1
    return OK


@kernel
def step_threads(c: ChipState, s: State, i: int) -> tuple[int, int]:
    """A word of each thread: a failed check's code or OK, and whether any was issued."""
    issued = 0
    holds = 0
    s.engine.vector = 0
    for t in range(THREADS):
        f = s.frontend[t]
        code, moved = step_thread(s, t)
        if code != OK:
            return code, 0
        if moved:
            issued = 1
            take(c, THREADS * i + t, f)
        if f.gate_full or f.wait.kind:
            holds = 1
    code = OK
    if s.vector.load_macro.busy and not s.engine.vector:
        code = idle_vector_unit(s)
    c.stirring[i] = 1 if holds or s.vector.load_macro.busy else 0
    return code, issued


@kernel
def step_thread(s: State, t: int) -> tuple[int, int]:
    """A thread's word, or the end of its wait: a failed check's code or OK, and whether it was."""
    f = s.frontend[t]
    if not f.wait.kind:
        if not f.gate_full:
            return OK, 0
        code = gate(s, t)
        if code != OK or f.gate_full:
            return code, 0
        if not f.wait.kind:
            return OK, 1
    evaluate_wait(s, t)
    return OK, 0 if f.wait.kind else 1
