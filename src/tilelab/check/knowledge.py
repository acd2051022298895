"""Vector clocks: who learns what from whom. Joins take the later epoch of each actor."""

from typing import Any

from tilelab.check.shadow import ACTOR_MASK, ACTORS, ARRIVALS, CORE_ACTOR, GROUP_OF_PIPE, TAKEN
from tilelab.check.view import Act, Checking, Clock, epoch_of
from tilelab.sim.kernel import OK, kernel, lanes
from tilelab.tensix.state.layout import THREADS
from tilelab.tensix.words.origin import pushed_at


@kernel
def join(clock: Clock, other: Clock) -> None:
    """Let a clock have the later epochs of both."""
    for a in lanes(ACTORS):
        clock.of[a] = max(clock.of[a], other.of[a])


@kernel
def forget(clock: Clock) -> None:
    """Let a clock know of nobody."""
    for a in lanes(ACTORS):
        clock.of[a] = 0


@kernel
def learn_core(s: Checking, row: int, core: int, epoch: int) -> int:
    """Somebody learns what a core knows, and what it did up to an epoch."""
    c = s.shadow
    other = THREADS + core
    join(c.known[row], c.known[other])
    c.known[row].of[CORE_ACTOR + core] = max(c.known[row].of[CORE_ACTOR + core], epoch)
    return learnt(s, row)


@kernel
def learnt(s: Checking, row: int) -> int:
    """Note that a core knows more than before; returns OK."""
    c = s.shadow
    if row >= THREADS:
        c.version[row - THREADS] += 1
    return OK


@kernel
def learns(s: Checking, row: int, actor: int, epoch: int) -> int:
    """Somebody learns that what an actor did up to an epoch is over."""
    c = s.shadow
    if c.known[row].of[actor] >= epoch:
        return OK
    c.known[row].of[actor] = epoch
    return learnt(s, row)


@kernel
def own_epoch(s: Checking) -> None:
    """Bring up to date what acts now knows of itself, if that is a core."""
    c = s.shadow
    if c.row >= THREADS:
        core = c.row - THREADS
        c.known[c.row].of[CORE_ACTOR + core] = c.core_now[core]
        c.core_now[core] += 1


@kernel
def acts(s: Checking, row: int, pipe: int, mark: int, word: int, origin: int) -> None:
    """It is a mark's actor that acts now, for who is in a row of those who know."""
    c = s.shadow
    c.row = row
    c.pipe = pipe
    c.actor = mark & ACTOR_MASK
    c.group = GROUP_OF_PIPE[pipe]
    c.mark = mark
    c.until = mark
    c.word = word
    c.origin = origin
    c.fresh = 0


@kernel
def note(s: Checking, act: Act) -> None:
    """Remember what acts now."""
    act.mark = s.shadow.mark
    act.word = s.shadow.word
    act.origin = s.shadow.origin


@kernel
def note_take(s: Checking, taken: Any, place: int, setter: int, before: int) -> None:
    """Remember that what acts now takes what ``setter`` has set, and ``before`` before that.

    Each pair of places once, as far as there is room: ``inits.py`` looks at the end.
    """
    at = pushed_at(s.shadow.origin) ^ pushed_at(setter)
    take = taken[(at >> 2 ^ at >> 10) & (TAKEN - 1)]
    if take.origin:
        return
    take.place = place
    take.word = s.shadow.word
    take.origin = s.shadow.origin
    take.setter = setter
    take.before = before


@kernel
def release(s: Checking, i: int) -> int:
    """Who acts now passes on through a synchronisation object what it knows."""
    c = s.shadow
    own_epoch(s)
    row = c.row
    passed = c.passed[i]
    join(passed, c.known[row])
    passed.version += 1
    passed.by = row
    note(s, passed.act)
    passed.act.now = c.now
    return OK


@kernel
def acquire(s: Checking, row: int, i: int) -> int:
    """Somebody learns what a synchronisation object passes on, if it does not know that yet."""
    c = s.shadow
    passed = c.passed[i]
    if passed.seen[row] == passed.version:
        return OK
    passed.seen[row] = passed.version
    join(c.known[row], passed)
    let_on = c.let_on[row][passed.by]
    let_on.mark = passed.act.mark
    let_on.word = passed.act.word
    let_on.origin = passed.act.origin
    let_on.now = passed.act.now
    return learnt(s, row)


@kernel
def release_bank(s: Checking, to: int, which: int, bank: int) -> int:
    """A Src bank is given away, with what who acts now knows and one act more."""
    c = s.shadow
    given = c.bank[to][which][bank]
    row = c.row
    for a in lanes(ACTORS):
        given.of[a] = c.known[row].of[a]
    given.of[c.actor] = max(given.of[c.actor], c.now)
    given.fresh = 1
    return OK


@kernel
def acquire_bank(s: Checking, row: int, to: int, which: int, bank: int) -> None:
    """A thread learns what came with a Src bank."""
    c = s.shadow
    given = c.bank[to][which][bank]
    if given.fresh:
        given.fresh = 0
        join(c.known[row], given)


@kernel
def writes_src(s: Checking, cell: int) -> None:
    """A row of SrcA or SrcB is written: who owns its bank is handed over by hardware."""
    s.shadow.writer[cell] = s.shadow.mark


# what another tile has put down here: see chip/arrivals.py


@kernel
def on_its_way(s: Checking, mark: int) -> int:
    """Whether what another tile put down, by its mark, may not have come for all that is known."""
    c = s.shadow
    number = epoch_of(mark)
    at = number & (ARRIVALS - 1)
    if c.noc_now - number >= ARRIVALS or c.from_tile[at] == 0:
        return 0
    peer = c.from_tile[at] - 1
    epoch = c.from_epoch[at]
    if c.told[peer, c.from_niu[at]] >= epoch:
        return 0
    way = c.from_way[at]
    return 0 if way and c.last_way[peer, way] > epoch else 1


@kernel
def has_come(s: Checking, number: int) -> None:
    """A core has loaded something of what another tile put down: then it has come."""
    if s.shadow.noc_now - number < ARRIVALS:
        s.shadow.from_tile[number & (ARRIVALS - 1)] = 0
