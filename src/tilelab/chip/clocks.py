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

from tilelab.chip.advance import (
    advance_privately,
    core_at,
    take_back,
    take_cores_back,
)
from tilelab.chip.launch import park
from tilelab.chip.network import deliver
from tilelab.chip.rest import (
    CORES_OWN,
    OWN,
    reach,
    runs,
    something_happened,
    wake_cores,
    watch,
)
from tilelab.chip.state import NEVER, QUEUE, ChipState
from tilelab.sim.checks import check, fault
from tilelab.sim.errors import UnimplementedFunctionalityError
from tilelab.sim.kernel import OK, kernel
from tilelab.tensix.chips.opcodes import LOADREG, NOP, STOREREG
from tilelab.tensix.frontend.replay_expander import PLAY_BACK
from tilelab.tensix.frontend.wait_gate import evaluate_wait
from tilelab.tensix.riscv.core import advance, fetch_word
from tilelab.tensix.run.rounds import blame, expand, gate, idle_vector_unit
from tilelab.tensix.state.layout import CORES, THREADS
from tilelab.tensix.state.records import Frontend, State
from tilelab.tensix.words.origin import BRISC

ROOM: Final = 52
"""Words that may wait for a thread when a core pushes another."""
FOR_THREADS: Final = 2
"""What is ``delivering`` if STOREREGs have made the requests, and no core."""
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
    if c.turn == 0 and c.first_call > c.time:
        c.time += 1
        return OK
    first = NEVER
    if c.turn == 0:
        c.first_call = NEVER
    for i in range(c.turn, c.states):
        if c.calls[i] <= c.time:
            c.turn = i
            code = clock_tile(c, c.tile[i], i)
            if code != OK:
                c.first_call = 0
                return code
            c.round = 0
        first = min(first, c.calls[i])
    c.first_call = min(c.first_call, first)
    c.turn = 0
    c.time += 1
    return OK


@kernel
def clock_tile(c: ChipState, s: State, i: int) -> int:
    """A tile's clock: rounds until none issues a word."""
    pace = c.pace[i]
    s.clock = c.time
    issued = 1
    while issued and c.round < MOST_ROUNDS:
        now = c.time + pace.more + c.round
        code = step_cores(c, s, i, now)
        if code != OK:
            return code
        issued = 0
        if pace.stirring:
            effects = s.effects
            code, issued = step_threads(c, s, i, now)
            if code != OK:
                return code
            pace.changes += issued
            if s.effects != effects:
                pace.anew = 1
            c.delivering = FOR_THREADS if s.noc.requests else 0
        c.round += 1
    pace.more += c.round - 1
    c.calls[i] = next_call(c, i)
    return OK


@kernel
def next_call(c: ChipState, i: int) -> int:
    """The clock in which a tile whose clock is over is to be looked at again."""
    pace = c.pace[i]
    following = c.time + 1
    if pace.stirring or pace.anew:
        return following
    awake = pace.running & ~pace.asleep
    first = NEVER
    for core in range(CORES):
        if awake >> core & 1:
            first = min(first, c.lead[CORES * i + core].until - pace.more)
    return max(following, first)


@kernel
def step_cores(c: ChipState, s: State, i: int, now: int) -> int:
    """An instruction of each core that ran when the round began; and what it asked of the NoC.

    ``now``: the round. What threads asked of the NoC in the round before comes first.
    """
    pace = c.pace[i]
    if c.delivering == FOR_THREADS:
        code = deliver(c, i)
        if code != OK:
            return code
        c.delivering = 0
    position = c.position
    if position == 0 and pace.anew:
        note_running(c, s, i, now)
    while position < s.arch.cores:
        core = core_at(position)
        awake = (pace.running & ~pace.asleep) >> core & 1
        if (awake and c.lead[CORES * i + core].until <= now) or c.delivering:
            code = step_core(c, s, i, position, now)
            if code != OK:
                c.position = position
                return code
        position += 1
    c.position = 0
    return OK


@kernel
def note_running(c: ChipState, s: State, i: int, now: int) -> None:
    """Note which cores of a tile run, for as long as nobody does what others can notice.

    One that has been stopped has executed nothing from this round on.
    """
    before = c.pace[i].running
    running = 0
    for core in range(s.arch.cores):
        k = CORES * i + core
        if runs(c, s, i, core):
            running |= 1 << core
            if not before >> core & 1:
                c.lead[k].until = now
                c.lead[k].seen = NEVER  # whatever it was that was seen before
        elif before >> core & 1 and c.lead[k].until > now:
            take_back(c, s, k, core, now)
    c.pace[i].running = running
    c.pace[i].anew = 0


@kernel
def step_core(c: ChipState, s: State, i: int, position: int, now: int) -> int:
    """An instruction of one core, and what came of it: OK, or why to call it again, or a check.

    ``now``: the round. What others cannot notice is executed in advance.
    """
    if not c.delivering:
        core = core_at(position)
        if s.noc.ethernet and s.riscv[core].pc == 0:
            park(s, core)
            return something_happened(c, i)
        reaches = reach(s, core)
        if reaches == CORES_OWN:
            take_cores_back(c, s, i, position, now)
        if c.pace[i].asleep and reaches != OWN:
            wake_cores(c, s, i, position, now)
        effects = s.effects
        private = s.private_effects
        code = execute_one(c, s, i, core)
        if code != OK:
            return code
        k = CORES * i + core
        c.lead[k].until = now + 1
        if s.effects == effects:
            c.lead[k].until += advance_privately(c, s, k, core, now + 1)
            changed = s.private_effects != private or reaches == CORES_OWN
            return watch(c, s, i, core, 1 if changed else 0)
        c.pace[i].anew = 1
        c.pace[i].stirring = 1
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
    if pushes < THREADS and c.pace[i].queued[pushes] >= ROOM:
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
            code = queue_pushed(c, s, i, t)
            if code != OK:
                return code
    return OK


@kernel
def waiting(c: ChipState, s: State, i: int, t: int) -> int:
    """How many words wait for a thread, the one at its gate and a wait among them."""
    f = s.frontend[t]
    held = 1 if f.wait.kind else f.gate_full
    return c.pace[i].queued[t] + held


@kernel
def queue_pushed(c: ChipState, s: State, i: int, t: int) -> int:
    """Expand everything that was pushed to a thread, into its queue; its head is at the gate."""
    f = s.frontend[t]
    full = f.gate_full
    word = f.gate_word
    origin = f.gate_origin
    code = OK
    f.gate_full = 0  # lent to the expanders
    while code == OK and (
        f.input_fifo.count or f.mop_active or f.late_fifo.count or f.replay_mode == PLAY_BACK
    ):
        code = expand(s, t)
        if f.gate_full and f.gate_word != NOTHING:
            if c.pace[i].queued[t] >= QUEUE - 1:
                code = fault(s, NO_ROOM, f.gate_word)
                blame(s, t, f.gate_word, f.gate_origin)
            else:
                put(c, i, t, f)
        f.gate_full = 0
    f.gate_full = full
    f.gate_word = word
    f.gate_origin = origin
    return take(c, i, t, f) if code == OK else code


@kernel
def put(c: ChipState, i: int, t: int, f: Frontend) -> None:
    """Put the word at the gate at the end of a thread's queue."""
    pace = c.pace[i]
    queue = THREADS * i + t
    at = (pace.queue_first[t] + pace.queued[t]) % QUEUE
    c.queue_word[queue, at] = f.gate_word
    c.queue_origin[queue, at] = f.gate_origin
    pace.queued[t] += 1


@kernel
def take(c: ChipState, i: int, t: int, f: Frontend) -> int:
    """Bring the next word of a queue to the gate, if that is free and no wait holds it back."""
    pace = c.pace[i]
    if pace.queued[t] and not f.gate_full and not f.wait.kind:
        queue = THREADS * i + t
        at = pace.queue_first[t]
        f.gate_word = c.queue_word[queue, at]
        f.gate_origin = c.queue_origin[queue, at]
        f.gate_full = 1
        pace.queue_first[t] = (at + 1) % QUEUE
        pace.queued[t] -= 1
    return OK


@kernel
def step_threads(c: ChipState, s: State, i: int, now: int) -> tuple[int, int]:
    """A word of each thread: a failed check's code or OK, and whether any was issued.

    Threads that issued none are held back until something happens.
    """
    issued = 0
    s.engine.vector = 0
    for t in range(THREADS):
        f = s.frontend[t]
        if f.gate_full and f.gate_word >> 24 in (LOADREG, STOREREG):
            take_cores_back(c, s, i, CORES, now)
        code, moved = step_thread(s, t)
        if code != OK:
            return code, 0
        if moved:
            issued = 1
            take(c, i, t, f)
    code = OK
    if s.vector.load_macro.busy and not s.engine.vector:
        code = idle_vector_unit(s)
    c.pace[i].stirring = 1 if issued or s.vector.load_macro.busy else 0
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
