"""Who touches what, in order: kernels that remember the accesses of a run.

An *object* is 16 bytes of L1, a row or a word of the state, a mailbox, or a register that cores
reach. Two accesses of an object commute if they are of one kind, and that is not a write: two
reads, two posts of a semaphore, two gets.
"""

from typing import Final

from tilelab.explore.plan import ACCESSES, come
from tilelab.explore.view import Exploring
from tilelab.sim.kernel import OK, kernel
from tilelab.tensix.tables.figures import SEMAPHORES as SEMAPHORE_COUNT
from tilelab.tensix.tables.tile_registers import (
    GPRS,
    INSTRN_BUF,
    INSTRN_BUF_END,
    MAILBOXES,
    MAILBOXES_END,
    MOP_CFG,
    PAGE,
    PC_BUF,
    PC_BUF_END,
    SEMAPHORES,
    TENSIX_CFG,
    TENSIX_CFG_END,
)
from tilelab.tensix.words.origin import BRISC

GRANULE_SHIFT: Final = 4
CELLS: Final = 1 << 18
"""Objects: L1 by 16 bytes, then rows and words of the state, then registers."""
GPR_CELLS: Final = 2112
SEMAPHORE_CELLS: Final = 5120
MUTEX_CELLS: Final = 5136
MAILBOX_CELLS: Final = 5152
INPUT_CELLS: Final = 5184
"""Of the cells: GPRs, semaphores, mutexes, mailboxes by writer and reader, threads' FIFOs."""
GPRS_OF_THREAD: Final = 64
REGISTERS: Final = 1 << 20
REGISTER_MASK: Final = (1 << 20) - 1
READS: Final = 0
WRITES: Final = 1
POSTS: Final = 2
GETS: Final = 3
"""Kinds of accesses."""


@kernel
def acts(s: Exploring, actor: int) -> None:
    """It is this actor that touches what is touched now."""
    s.plan.acting = actor
    s.plan.acting_at = come(s, actor)
    s.plan.acting_from = s.plan.accesses
    s.plan.again = 0


@kernel
def in_vain(s: Exploring) -> None:
    """Who acts waits: it has touched nothing yet."""
    s.plan.accesses = s.plan.acting_from


@kernel
def touches(s: Exploring, cell: int, kind: int) -> int:
    """Remember an access, once for each step."""
    p = s.plan
    if not p.logging or p.accesses == ACCESSES:
        return OK
    if p.accesses > p.acting_from:
        last = p.access[p.accesses - 1]
        if last.object == cell and last.actor == p.acting and last.kind == kind:
            return OK
    new = p.access[p.accesses]
    new.actor = p.acting
    new.kind = kind
    new.again = p.again
    new.at = p.acting_at
    new.object = cell
    p.accesses += 1
    return OK


@kernel
def touches_address(s: Exploring, core: int, address: int, writes: int) -> int:
    """A core touches L1, or a register: what loads do to most registers is not told apart.

    Of configuration and semaphores it is told where the state is touched.
    """
    if address < s.arch.l1_size:
        return touches(s, address >> GRANULE_SHIFT, writes)
    if TENSIX_CFG <= address < TENSIX_CFG_END or MOP_CFG <= address < MOP_CFG + PAGE:
        return OK
    if PC_BUF <= address < PC_BUF_END:
        index = (address - PC_BUF - SEMAPHORES) >> 2
        if address < PC_BUF + SEMAPHORES:  # it waits for its own thread
            return touches(s, CELLS + INPUT_CELLS + core, READS)
        if not writes and index < SEMAPHORE_COUNT:
            return touches(s, CELLS + SEMAPHORE_CELLS + index, READS)
        return OK
    if GPRS <= address < GPRS + PAGE:
        index = (address - GPRS) >> 2
        if core < BRISC:
            index += core * GPRS_OF_THREAD
        return touches(s, CELLS + GPR_CELLS + index, writes)
    if MAILBOXES <= address < MAILBOXES_END:
        other = ((address - MAILBOXES >> 12) + 3) & 3
        pair = core * 4 + other if writes else other * 4 + core
        return touches(s, CELLS + MAILBOX_CELLS + pair, writes)
    if INSTRN_BUF <= address < INSTRN_BUF_END:
        t = address - INSTRN_BUF >> 16 if core == BRISC else core
        return touches(s, CELLS + INPUT_CELLS + t, WRITES)
    return touches(s, REGISTERS + (address >> 2 & REGISTER_MASK), WRITES)


@kernel
def posts(s: Exploring, index: int) -> int:
    """Somebody posts a semaphore."""
    return touches(s, CELLS + SEMAPHORE_CELLS + index, POSTS)


@kernel
def gets(s: Exploring, index: int) -> int:
    """Somebody takes from a semaphore."""
    return touches(s, CELLS + SEMAPHORE_CELLS + index, GETS)


@kernel
def sets(s: Exploring, t: int, max_value: int, init_value: int, sem_sel: int) -> int:
    """A thread sets semaphores."""
    return touches_semaphores(s, sem_sel, WRITES)


@kernel
def touches_semaphores(s: Exploring, mask: int, kind: int) -> int:
    """Whoever acts touches those semaphores."""
    for i in range(SEMAPHORE_COUNT):
        if mask >> i & 1:
            touches(s, CELLS + SEMAPHORE_CELLS + i, kind)
    return OK


@kernel
def reads_cell(s: Exploring, cell: int) -> int:
    """A row or a word of the state is read by an instruction."""
    return touches(s, CELLS + cell, 0)


@kernel
def writes_cell(s: Exploring, cell: int) -> int:
    """A row or a word of the state is written by an instruction."""
    return touches(s, CELLS + cell, 1)
