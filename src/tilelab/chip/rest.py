"""Cores of a chip in step that only poll: they cost nothing, and go on where they would be.

A core that waits, or has come back to the very registers that it had with nothing done in between
that it could see itself later, repeats itself until something in its tile changes. Where it is then
follows from how long its loop is. Before anything is done that may change what it looks at, it is
brought there: by another core (:func:`reach` says how), by a thread, or from outside. While threads
may have anything to do, no core is left alone.
"""

from typing import Final

from tilelab.chip.advance import core_at, round_of, take_cores_back
from tilelab.chip.state import ChipState
from tilelab.riscv.fields import major
from tilelab.sim.kernel import OK, kernel
from tilelab.tensix.riscv.core import fetch_word, step
from tilelab.tensix.riscv.debug_hardware import LOADS, access_of
from tilelab.tensix.run.polls.clock_waits import HIGH, HIGH_NOW, LOW
from tilelab.tensix.run.polls.loops import ALONE, only_read
from tilelab.tensix.run.stuck import came_back, remember
from tilelab.tensix.state.layout import CORES
from tilelab.tensix.state.records import State
from tilelab.tensix.tables.tile_registers import (
    DEBUG_REGISTERS,
    LOCAL_RAM,
    LOCAL_RAM_APERTURES_END,
    WALL_CLOCK_H,
)
from tilelab.tensix.words.origin import BRISC

OWN, SHARED, CORES_OWN = range(3)
"""What an instruction has to do with: nothing that it changes for others; what all share; maybe
registers and RAM of another core."""
FIRST: Final = 1
"""Looks at a core before its registers are noted."""


@kernel
def runs(c: ChipState, s: State, i: int, core: int) -> int:
    """Whether a core runs; an Ethernet tile without a link has one, in BRISC's place."""
    if i >= c.tiles and core != BRISC and not s.noc.ethernet:
        return 0
    return 1 if s.riscv[core].running else 0


@kernel
def something_happened(c: ChipState, i: int) -> int:
    """Something was done to a tile from outside: look at it, and watch its cores anew."""
    pace = c.pace[i]
    pace.changes += 1
    pace.anew = 1
    pace.stirring = 1
    c.calls[i] = 0
    c.first_call = 0
    return OK


@kernel
def watch(c: ChipState, s: State, i: int, core: int, changed: int) -> int:
    """Look at a core after its instruction: leave it alone if it repeats itself; OK.

    ``changed``: it did something that it alone can notice, or looked at what others do alone.
    """
    lead = c.lead[CORES * i + core]
    seen = s.effects + s.l1_effects + c.pace[i].changes
    if changed or seen != lead.seen or c.pace[i].stirring:
        lead.seen = seen
        lead.turns = 0
        lead.window = FIRST
        return OK
    lead.turns += 1
    if s.engine.core_wait[core] < 0:
        lead.period = 1
        c.pace[i].asleep |= 1 << core
    elif lead.turns > FIRST and came_back(s, core):
        lead.period = lead.until - lead.since
        c.pace[i].asleep |= 1 << core
    elif lead.turns == lead.window:
        remember(s, core)
        lead.since = lead.until
        lead.window *= 2
    return OK


@kernel
def reach(s: State, core: int) -> int:
    """What a core's next instruction may have to do with: OWN, SHARED or CORES_OWN."""
    word = fetch_word(s, core, s.riscv[core].pc)
    if major(word) in ALONE:
        return OWN
    kind, address = access_of(s, core, word)
    if LOCAL_RAM <= address < LOCAL_RAM + s.arch.local_ram[core]:
        return OWN
    if address in (LOW, HIGH_NOW, HIGH):
        same = kind == LOADS and s.debug_register[WALL_CLOCK_H >> 2] == s.clock >> 32
        return OWN if same else SHARED
    if DEBUG_REGISTERS <= address < LOCAL_RAM_APERTURES_END:
        return CORES_OWN
    if kind == LOADS and (address < s.arch.l1_size or only_read(core, address)):
        return OWN
    return SHARED


@kernel
def wake_cores(c: ChipState, s: State, i: int, position: int, now: int) -> None:
    """Bring cores that repeat themselves to a round in which those before a position had their
    turn.
    """
    asleep = c.pace[i].asleep
    c.pace[i].asleep = 0
    for at in range(CORES):
        core = core_at(at)
        if asleep >> core & 1:
            go_on_to(c, s, CORES * i + core, core, now + (1 if at < position else 0))


@kernel
def go_on_to(c: ChipState, s: State, k: int, core: int, now: int) -> None:
    """Bring a core that repeats itself to where it is after so many rounds."""
    lead = c.lead[k]
    if lead.until >= now:
        return  # it is there already, in advance
    gone = now - lead.until
    more = gone % lead.period
    for _ in range(more):
        step(s, core)
    if s.engine.core_wait[core] >= 0:
        s.riscv[core].retired += gone - more
    lead.until = now


@kernel
def catch_up(c: ChipState, s: State, i: int) -> int:
    """Bring a tile's cores to where they would be; call it before anything there changes."""
    if not c.in_step:
        return OK
    s.clock = c.time
    if i == c.turn and c.delivering:
        return OK  # its clock is under way
    asleep = c.pace[i].asleep
    if asleep:
        wake_cores(c, s, i, 0, round_of(c, i))
    taken = take_cores_back(c, s, i, 0, round_of(c, i))
    return something_happened(c, i) if taken or asleep else OK
