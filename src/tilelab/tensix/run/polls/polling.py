"""Cores that poll: found, left alone, and put back to where they would be.

A core that comes back to the very registers it had, and has stored nothing new meanwhile, goes
round and round until a word that its loop looks at changes. :func:`look` runs rounds as they are
run elsewhere and notes the loops that cores are in (``loops.py``). A core in one is not stepped: it
costs nothing until one of those words changes, or until anybody else wants to see it. Then
:func:`leave_loop` puts it where it would be, to the instruction: the words are made what they were,
for as long as it takes to execute the part of the loop that was begun. A run in which every core is
stepped leaves the same; a test holds them equal.

What changes such words, besides cores, are some instructions (:data:`SHOWS`); the NoC and
the host do so between runs.
"""

from typing import Final

from tilelab.sim.kernel import OK, WORD, kernel
from tilelab.tensix.arch import opcodes
from tilelab.tensix.riscv.core import advance, fetch_index
from tilelab.tensix.run.polls.loops import (
    PRIVATE,
    REGISTER,
    begin_loop,
    came_round,
    keep_registers,
    note_instruction,
    reads_itself,
    stands,
    step_again,
    swap,
    unchanged,
)
from tilelab.tensix.run.stuck import all_effects
from tilelab.tensix.state.records import State

SHOWING: Final = (
    *("SEMINIT", "SEMPOST", "SEMGET", "STOREIND", "STOREREG"),
    *("ATINCGET", "ATINCGETPTR", "ATSWAP", "ATCAS", "XMOV"),
)
"""Instructions that change semaphores, registers or L1. Packers say it themselves, where they do
so in the span that is looked at."""
SHOWS: Final = opcodes(lambda row: row.name in SHOWING)
"""By opcode: whether an instruction may change what a core looks at."""
MOST_TURNS: Final = 3
"""How often a core may come back with other registers, before it is said to count."""
SHORTEST_GAP: Final = 128
LONGEST_GAP: Final = 1024
"""Rounds from one search to the next one, when searches find nothing."""
AFTER_WAIT: Final = 32
"""Rounds to the next search when a core has waited for the clock: it may soon do so again."""


@kernel
def set_span(s: State) -> int:
    """Have stores seen where they may be to what the run or a polling core looks at."""
    engine = s.engine
    first, last = s.arch.l1_size, 0
    if not engine.polling:
        engine.watch_registers = 0
    for i in range(engine.watches):
        first = min(first, engine.watch_address[i] >> 2)
        last = max(last, engine.watch_address[i] >> 2)
    for core in range(s.arch.cores):
        if engine.polling >> core & 1:
            first = min(first, s.poll[core].first)
            last = max(last, s.poll[core].last)
    engine.watch_first = first
    engine.watch_last = last
    engine.wake_at = first_wake(s)
    return OK


@kernel
def first_wake(s: State) -> int:
    """The clock at which the first of the cores that wait for it is to be stepped again, or 0."""
    first = 0
    for core in range(s.arch.cores):
        if s.engine.polling >> core & 1 and s.poll[core].clocked:
            until = s.poll[core].until
            first = min(first, until) if first else until
    return first


@kernel
def woken(s: State) -> int:
    """Step those cores again that have waited for the clock long enough, before a round."""
    engine = s.engine
    for core in range(s.arch.cores):
        poll = s.poll[core]
        if engine.polling >> core & 1 and poll.clocked and poll.until <= s.clock:
            leave_loop(s, core, s.clock)
            poll.length = 0
            engine.look_at = min(engine.look_at, s.clock + AFTER_WAIT)
    set_span(s)
    return OK


@kernel
def stay(s: State, core: int) -> int:
    """Leave a core alone that is where its loop begins."""
    poll = s.poll[core]
    poll.since = s.clock
    poll.first = s.arch.l1_size
    poll.last = 0
    for i in range(poll.words):
        if poll.index[i] < PRIVATE:
            poll.first = min(poll.first, poll.index[i])
            poll.last = max(poll.last, poll.index[i])
        elif poll.index[i] >= REGISTER:
            s.engine.watch_registers = 1
    for i in range(poll.length):
        at = fetch_index(s, core, poll.pc[i])
        poll.first = min(poll.first, at)
        poll.last = max(poll.last, at)
    s.engine.polling |= 1 << core
    return OK


@kernel
def leave_loop(s: State, core: int, clock: int) -> int:
    """Put a polling core where it is at a clock, and step it again from now on."""
    poll = s.poll[core]
    passed = clock - poll.since
    s.engine.polling &= ~(1 << core)
    first, last = steps_again(s, core, passed)
    if first + last:
        same = unchanged(s, core)
        if not same:
            swap(s, core)
        for i in range(first):
            step_again(s, core, poll.since + i)
        for i in range(last):
            step_again(s, core, clock - last + i)
        if not same:
            swap(s, core)
        poll.start = (poll.start + passed) % poll.length
        keep_registers(s, core)
    s.riscv[core].retired += passed - first - last
    return OK


@kernel
def steps_again(s: State, core: int, passed: int) -> tuple[int, int]:
    """How many instructions of those that a core has passed in its loop are to be executed, from
    the first one on, and up to the last one. What is between leaves nothing behind.

    Registers that a loop sets by the clock are those of its last time round, which begins where the
    loop was noted from.
    """
    poll = s.poll[core]
    if not poll.clocked:
        return 0, passed % poll.length
    first = min(passed, (poll.length - poll.start) % poll.length)
    last = (passed - first) % poll.length
    if passed > first + last:
        last += poll.length
    return first, last


@kernel
def leave_loops(s: State, first: int) -> int:
    """Put every polling core where it is now, in a round in which those before ``first`` had their
    turn.
    """
    for core in range(s.arch.cores):
        if s.engine.polling >> core & 1:
            leave_loop(s, core, s.clock + (1 if core < first else 0))
    set_span(s)
    return OK


@kernel
def leave_changed(s: State, first: int) -> int:
    """Step those polling cores again whose words have changed, in a round in which ``first`` is
    next: the cores before it have had their turn.
    """
    if not s.engine.shown:
        return OK
    before = s.engine.polling
    for core in range(s.arch.cores):
        if before >> core & 1 and has_changed(s, core):
            leave_loop(s, core, s.clock + (1 if core < first else 0))
            s.poll[core].length = 0
            s.engine.look_gap = SHORTEST_GAP
            s.engine.look_at = s.clock + SHORTEST_GAP
    if s.engine.polling != before:
        set_span(s)
    s.engine.shown = 0
    return OK


@kernel
def has_changed(s: State, core: int) -> int:
    """Whether a polling core is to be stepped again; what it looks at says when that may have
    changed, and a core when it stops.
    """
    return 0 if s.riscv[core].running and unchanged(s, core) else 1


@kernel
def resume(s: State) -> int:
    """Leave those cores alone that are in the loops in which they were when they last polled."""
    stop_look(s)
    s.engine.shown = 0
    for core in range(s.arch.cores):
        if s.poll[core].length:
            lasts = not s.poll[core].clocked or s.poll[core].until > s.clock
            if s.riscv[core].running and lasts and stands(s, core, WORD) and unchanged(s, core):
                stay(s, core)
            else:
                s.poll[core].length = 0
                s.engine.look_gap = SHORTEST_GAP
                s.engine.look_at = s.clock
    set_span(s)
    return OK


@kernel
def stop_look(s: State) -> int:
    """Forget what a look has noted so far."""
    for core in range(s.arch.cores):
        if s.engine.looking >> core & 1:
            s.poll[core].length = 0
    s.engine.looking = 0
    return OK


@kernel
def begin_look(s: State, others: int) -> int:
    """Begin to look for loops in which cores poll, but for some, named by bits."""
    engine = s.engine
    engine.looking = 0
    for core in range(s.arch.cores):
        if s.riscv[core].running and not (others | engine.polling) >> core & 1:
            engine.looking |= 1 << core
            begin_loop(s, core)
    return OK


@kernel
def end_look(s: State) -> int:
    """Say when to look next: later and later, while nothing is found."""
    engine = s.engine
    engine.look_at = s.clock + engine.look_gap
    engine.look_gap = min(max(2 * engine.look_gap, SHORTEST_GAP), LONGEST_GAP)
    return OK


@kernel
def look_at_step(s: State, core: int) -> int:
    """Execute a core's next instruction; one that cannot be part of a loop ends the look at it.

    OK, a WAIT code or a failed check's code.
    """
    bit = 1 << core
    noted = note_instruction(s, core) if s.engine.looking & bit else 0
    if s.engine.looking & bit and not noted:
        s.engine.looking &= ~bit
        s.poll[core].length = 0
    before = all_effects(s) + (noted >> 1)
    code = advance(s, core)
    if s.engine.looking & bit and (code != OK or all_effects(s) != before):
        s.engine.looking &= ~bit
        s.poll[core].length = 0
    if s.engine.looking & bit:
        s.poll[core].next = s.riscv[core].pc
        s.poll[core].since = s.clock + 1
        if s.riscv[core].pc == s.poll[core].pc[0]:
            s.engine.arrived = 1
    return code


@kernel
def leave_alone(s: State, core: int) -> int:
    """End the look at a core that has come back to where it was: leave it alone, if it may be."""
    poll = s.poll[core]
    s.engine.looking &= ~(1 << core)
    lasts = not poll.clocked or poll.until > s.clock
    if lasts and unchanged(s, core) and not reads_itself(s, core):
        stay(s, core)
        if not poll.clocked:
            s.engine.look_gap = SHORTEST_GAP
    else:
        poll.length = 0
    return OK


@kernel
def went_round(s: State, core: int) -> int:
    """Note that a core is where it was with other registers; end the look at one that counts."""
    poll = s.poll[core]
    poll.turns += 1
    if poll.turns == MOST_TURNS:
        s.engine.looking &= ~(1 << core)
        poll.length = 0
    return OK


@kernel
def find_loops(s: State) -> int:
    """Leave those cores alone from now on that have come back to where they were."""
    engine = s.engine
    if not engine.arrived:
        return OK
    engine.arrived = 0
    polling = engine.polling
    for core in range(s.arch.cores):
        if engine.looking >> core & 1 and s.poll[core].length:
            if came_round(s, core):
                leave_alone(s, core)
            elif s.riscv[core].pc == s.poll[core].pc[0]:
                went_round(s, core)
    if engine.polling != polling:
        set_span(s)
    return OK


@kernel
def look(s: State, rounds: int) -> int:
    """Run rounds of the cores alone as ``rounds.run_cores`` does, and look for those that poll.

    To the first in which one does what others could notice: the look goes on with the next call.
    OK, or a failed check's code.
    """
    engine = s.engine
    effects = s.effects
    if not engine.looking:
        begin_look(s, 0)
    while rounds > 0 and engine.looking and s.effects == effects:
        for core in range(s.arch.cores):
            if s.riscv[core].running and not engine.polling >> core & 1:
                code = look_at_step(s, core)
                if code > 0:
                    return code
                if engine.polling and engine.shown:
                    leave_changed(s, core + 1)
        s.clock += 1
        rounds -= 1
        find_loops(s)
        if engine.wake_at:
            rounds = min(rounds, engine.wake_at - s.clock)
    if not engine.looking:
        end_look(s)
    return OK


@kernel
def look_around(s: State, waiting: int) -> int:
    """What a round in which threads are busy begins with; ``waiting``: bits of cores that wait."""
    engine = s.engine
    if engine.wake_at and engine.wake_at <= s.clock:
        woken(s)
    if engine.attention:
        step_all(s)
    elif engine.looking:
        find_loops(s)
        if not engine.looking:
            end_look(s)
    elif engine.look_at <= s.clock:
        begin_look(s, waiting)
        if not engine.looking:
            end_look(s)
    if engine.polling and engine.shown:
        leave_changed(s, 0)
    return OK


@kernel
def step_all(s: State) -> int:
    """Step all cores again, those too that poll."""
    if s.engine.polling:
        leave_loops(s, 0)
    stop_look(s)
    return OK
