"""Vector clocks: who learns what from whom. Joins take the later epoch of each actor."""

from tilelab.sim.kernel import OK, kernel, lanes
from tilelab.tensix.check.shadow import ACTORS, CORE_ACTOR, THREADS
from tilelab.tensix.check.view import Checking


@kernel
def learn_core(s: Checking, row: int, core: int, epoch: int) -> int:
    """Somebody learns what a core knows, and what it did up to an epoch."""
    c = s.shadow
    other = THREADS + core
    for a in lanes(ACTORS):
        c.known[row, a] = max(c.known[row, a], c.known[other, a])
    c.known[row, CORE_ACTOR + core] = max(c.known[row, CORE_ACTOR + core], epoch)
    return learnt(s, row)


@kernel
def learnt(s: Checking, row: int) -> int:
    """Note that a core knows more than before; returns OK."""
    c = s.shadow
    if row >= THREADS:
        c.version[row - THREADS] = c.version[row - THREADS] + 1
    return OK


@kernel
def own_epoch(s: Checking) -> int:
    """Bring up to date what acts now knows of itself, if that is a core."""
    c = s.shadow
    if c.row >= THREADS:
        core = c.row - THREADS
        c.known[c.row, CORE_ACTOR + core] = c.core_now[core]
        c.core_now[core] = c.core_now[core] + 1
    return OK


@kernel
def release_semaphore(s: Checking, i: int) -> int:
    """Who acts now passes on through a semaphore what it knows."""
    c = s.shadow
    own_epoch(s)
    row = c.row
    for a in lanes(ACTORS):
        c.semaphore[i, a] = max(c.semaphore[i, a], c.known[row, a])
    c.semaphore_version[i] = c.semaphore_version[i] + 1
    return OK


@kernel
def acquire_semaphore(s: Checking, row: int, i: int) -> int:
    """Somebody learns what a semaphore passes on."""
    c = s.shadow
    if c.semaphore_seen[row, i] == c.semaphore_version[i]:
        return OK
    c.semaphore_seen[row, i] = c.semaphore_version[i]
    for a in lanes(ACTORS):
        c.known[row, a] = max(c.known[row, a], c.semaphore[i, a])
    return learnt(s, row)


@kernel
def release_mutex(s: Checking, i: int) -> int:
    """Who acts now passes on through a mutex what it knows."""
    c = s.shadow
    row = c.row
    for a in lanes(ACTORS):
        c.mutex[i, a] = max(c.mutex[i, a], c.known[row, a])
    return OK


@kernel
def acquire_mutex(s: Checking, i: int) -> int:
    """Who acts now learns what a mutex passes on."""
    c = s.shadow
    row = c.row
    for a in lanes(ACTORS):
        c.known[row, a] = max(c.known[row, a], c.mutex[i, a])
    return OK


@kernel
def release_bank(s: Checking, to: int, which: int, bank: int) -> int:
    """A Src bank is given away, with what who acts now knows and one act more."""
    c = s.shadow
    given = c.bank[to][which][bank]
    row = c.row
    for a in lanes(ACTORS):
        given.known[a] = c.known[row, a]
    given.known[c.actor] = max(given.known[c.actor], c.now)
    given.fresh = 1
    return OK


@kernel
def acquire_bank(s: Checking, row: int, to: int, which: int, bank: int) -> int:
    """A thread learns what came with a Src bank."""
    c = s.shadow
    given = c.bank[to][which][bank]
    if given.fresh:
        given.fresh = 0
        for a in lanes(ACTORS):
            c.known[row, a] = max(c.known[row, a], given.known[a])
    return OK


@kernel
def writes_src(s: Checking, cell: int) -> int:
    """A row of SrcA or SrcB is written: who owns its bank is handed over by hardware."""
    s.shadow.writer[cell] = s.shadow.mark
    return OK
