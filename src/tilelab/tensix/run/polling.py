"""Cores that poll: found, left alone, and put back to where they would be.

A core that comes back to the very registers it had, and has stored nothing new meanwhile, goes
round and round until a word that its loop looks at changes. :func:`look` runs rounds as they are
run elsewhere and notes the loops that cores are in. A core in one is not stepped: it costs nothing
until one of those words changes, or until anybody else wants to see it. Then :func:`leave_loop`
puts it where it would be, to the instruction: the words are made what they were, for as long as it
takes to execute the part of the loop that was begun. A run in which every core is stepped leaves
the same; a test holds them equal.

Loops that look at anything but L1 and the core's own RAM are not found. Sources: none, this is
about time on the host.
"""

from typing import Final

from tilelab.sim.kernel import OK, kernel
from tilelab.tensix.riscv.core import blame_core, fetch_index, step
from tilelab.tensix.riscv.debug_hardware import NO_ACCESS, access_of
from tilelab.tensix.riscv.table import Major
from tilelab.tensix.run.stuck import all_effects
from tilelab.tensix.state.engine_notes import LOOP_SLOTS, POLLED_SLOTS
from tilelab.tensix.state.records import State
from tilelab.tensix.tables.tile_registers import LOCAL_RAM

PRIVATE: Final = 1 << 30
"""In the index of a word: it is in the core's own RAM, not in L1."""
SHORTEST_GAP: Final = 64
LONGEST_GAP: Final = 1024
"""Rounds from one search to the next one, when searches find nothing."""
ALONE: Final = (
    *(Major.FENCE, Major.IMMEDIATE, Major.REGISTER, Major.LUI, Major.AUIPC),
    *(Major.BRANCH, Major.JAL, Major.JALR),
)
"""Instructions that look at nothing but registers and change nothing else."""


@kernel
def word_at(s: State, core: int, index: int) -> int:
    """A word of L1 or of a core's own RAM."""
    word: int = s.riscv[core].local_ram[index - PRIVATE] if index >= PRIVATE else s.l1_32[index]
    return word


@kernel
def note_word(s: State, core: int, address: int, size: int) -> int:
    """Note that a loop looks at bytes: whether that can be noted."""
    poll = s.poll[core]
    if address & (size - 1):
        return 0
    index = address >> 2
    if address >= s.arch.l1_size:
        if not LOCAL_RAM <= address < LOCAL_RAM + s.arch.local_ram[core]:
            return 0
        index = PRIVATE + ((address - LOCAL_RAM) >> 2)
    value = word_at(s, core, index)
    for i in range(poll.words):
        if poll.index[i] == index:
            return 1 if poll.value[i] == value else 0
    if poll.words == POLLED_SLOTS:
        return 0
    poll.index[poll.words] = index
    poll.value[poll.words] = value
    poll.words += 1
    return 1


@kernel
def note_instruction(s: State, core: int) -> int:
    """Note a core's next instruction as one of a loop: whether it can be."""
    poll = s.poll[core]
    pc = s.riscv[core].pc
    at = fetch_index(s, core, pc)
    if at < 0 or poll.length == LOOP_SLOTS:
        return 0
    word = s.l1_32[at]
    poll.pc[poll.length] = pc
    poll.code[poll.length] = word
    poll.length += 1
    kind, address = access_of(s, core, word)
    if kind != NO_ACCESS:
        return note_word(s, core, address, 1 << (word >> 12 & 3))
    return 1 if word & 0x7F in ALONE else 0


@kernel
def unchanged(s: State, core: int) -> int:
    """Whether a loop's words, and its instructions, are what they were."""
    poll = s.poll[core]
    for i in range(poll.words):
        if word_at(s, core, poll.index[i]) != poll.value[i]:
            return 0
    for i in range(poll.length):
        if s.l1_32[fetch_index(s, core, poll.pc[i])] != poll.code[i]:
            return 0
    return 1


@kernel
def at_start(s: State, core: int) -> int:
    """Whether a core has the registers with which its loop was begun."""
    poll = s.poll[core]
    hart = s.riscv[core]
    if hart.pc != poll.pc[poll.start]:
        return 0
    for i in range(32):
        if hart.x[i] != poll.x[i]:
            return 0
    return 1


@kernel
def keep_registers(s: State, core: int) -> int:
    """Note the registers with which a loop is begun."""
    for i in range(32):
        s.poll[core].x[i] = s.riscv[core].x[i]
    return OK


@kernel
def set_span(s: State) -> int:
    """Have stores seen where they may be to what the run or a polling core looks at."""
    engine = s.engine
    first, last = s.arch.l1_size, 0
    for i in range(engine.watches):
        first = min(first, engine.watch_address[i] >> 2)
        last = max(last, engine.watch_address[i] >> 2)
    for core in range(s.arch.cores):
        if engine.polling >> core & 1:
            first = min(first, s.poll[core].first)
            last = max(last, s.poll[core].last)
    engine.watch_first = first
    engine.watch_last = last
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
    for i in range(poll.length):
        at = fetch_index(s, core, poll.pc[i])
        poll.first = min(poll.first, at)
        poll.last = max(poll.last, at)
    s.engine.polling |= 1 << core
    return OK


@kernel
def swap(s: State, core: int) -> int:
    """Exchange a loop's words, and its instructions, with what they were when it was noted."""
    poll = s.poll[core]
    for i in range(poll.words):
        index = poll.index[i]
        value = word_at(s, core, index)
        if index >= PRIVATE:
            s.riscv[core].local_ram[index - PRIVATE] = poll.value[i]
        else:
            s.l1_32[index] = poll.value[i]
        poll.value[i] = value
    for i in range(poll.length):
        at = fetch_index(s, core, poll.pc[i])
        word = s.l1_32[at]
        s.l1_32[at] = poll.code[i]
        poll.code[i] = word
    return OK


@kernel
def leave_loop(s: State, core: int, clock: int) -> int:
    """Put a polling core where it is at a clock, and step it again from now on."""
    poll = s.poll[core]
    passed = clock - poll.since
    s.engine.polling &= ~(1 << core)
    s.riscv[core].retired += passed // poll.length * poll.length
    more = passed % poll.length
    if more:
        same = unchanged(s, core)
        if not same:
            swap(s, core)
        for _ in range(more):
            step(s, core)
        if not same:
            swap(s, core)
        poll.start = (poll.start + more) % poll.length
        keep_registers(s, core)
    return OK


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
    for core in range(s.arch.cores):
        if s.engine.polling >> core & 1 and not (s.riscv[core].running and unchanged(s, core)):
            leave_loop(s, core, s.clock + (1 if core < first else 0))
            s.poll[core].length = 0
            s.engine.look_gap = SHORTEST_GAP
            s.engine.look_at = s.clock + SHORTEST_GAP
    set_span(s)
    return OK


@kernel
def resume(s: State) -> int:
    """Leave those cores alone that are in the loops in which they were when they last polled."""
    stop_look(s)
    for core in range(s.arch.cores):
        if s.poll[core].length:
            if s.riscv[core].running and at_start(s, core) and unchanged(s, core):
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
def begin_look(s: State) -> int:
    """Begin to look for loops in which cores poll."""
    engine = s.engine
    engine.looking = 0
    for core in range(s.arch.cores):
        if s.riscv[core].running and not engine.polling >> core & 1:
            engine.looking |= 1 << core
            s.poll[core].length = 0
            s.poll[core].start = 0
            s.poll[core].words = 0
            keep_registers(s, core)
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

    A failed check's code or OK.
    """
    bit = 1 << core
    if s.engine.looking & bit and not note_instruction(s, core):
        s.engine.looking &= ~bit
        s.poll[core].length = 0
    before = all_effects(s)
    code = step(s, core)
    if code > 0:
        blame_core(s, core)
        return code
    s.engine.core_wait[core] = code
    after = all_effects(s)
    if s.engine.looking & bit and (code != OK or after != before):
        s.engine.looking &= ~bit
        s.poll[core].length = 0
    return OK


@kernel
def reads_itself(s: State, core: int) -> int:
    """Whether a loop looks at its own instructions: :func:`swap` takes them for two."""
    poll = s.poll[core]
    for i in range(poll.words):
        for k in range(poll.length):
            if poll.index[i] == fetch_index(s, core, poll.pc[k]):
                return 1
    return 0


@kernel
def find_loops(s: State) -> int:
    """Leave those cores alone from now on that have come back to where they were."""
    engine = s.engine
    polling = engine.polling
    for core in range(s.arch.cores):
        if engine.looking >> core & 1 and at_start(s, core):
            engine.looking &= ~(1 << core)
            if unchanged(s, core) and not reads_itself(s, core):
                stay(s, core)
                engine.look_gap = SHORTEST_GAP
            else:
                s.poll[core].length = 0
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
        begin_look(s)
    while rounds > 0 and engine.looking and s.effects == effects:
        for core in range(s.arch.cores):
            if s.riscv[core].running and not engine.polling >> core & 1:
                seen = s.effects
                code = look_at_step(s, core)
                if code != OK:
                    return code
                if engine.polling and s.effects != seen:
                    leave_changed(s, core + 1)
        s.clock += 1
        rounds -= 1
        find_loops(s)
    if not engine.looking:
        end_look(s)
    return OK
