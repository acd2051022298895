"""Who touches what, in order: kernels that remember the accesses of a run.

An *object* is 16 bytes of L1, a row or a word of the state, or a register that cores reach.
"""

from typing import Final

from tilelab.sim.kernel import OK, WORD, kernel
from tilelab.tensix.explore.plan import ACCESSES, come
from tilelab.tensix.explore.view import Exploring

GRANULE_SHIFT: Final = 4
CELLS: Final = 1 << 18
"""Objects: L1 by 16 bytes, then rows and words of the state, then registers."""
REGISTERS: Final = 1 << 20
REGISTER_MASK: Final = (1 << 20) - 1


@kernel
def acts(s: Exploring, actor: int) -> int:
    """It is this actor that touches what is touched now."""
    s.plan.acting = actor
    s.plan.acting_at = come(s, actor)
    s.plan.again = 0
    return OK


@kernel
def touches(s: Exploring, cell: int, writes: int) -> int:
    """Remember an access, once for each step."""
    p = s.plan
    if not p.logging or p.accesses == ACCESSES:
        return OK
    if p.accesses:
        last = p.access[p.accesses - 1]
        if last.object == cell and last.actor == p.acting and last.at == p.acting_at:
            if last.write == writes:
                return OK
    new = p.access[p.accesses]
    new.actor = p.acting
    new.write = writes
    new.again = p.again
    new.at = p.acting_at
    new.object = cell
    p.accesses = p.accesses + 1
    return OK


@kernel
def touches_address(s: Exploring, address: int, writes: int) -> int:
    """A core touches L1, or a register: what loads do to registers is not told apart."""
    if address < s.arch.l1_size:
        return touches(s, address >> GRANULE_SHIFT, writes)
    return touches(s, REGISTERS + ((address & WORD) >> 2 & REGISTER_MASK), 1)


@kernel
def reads_cell(s: Exploring, cell: int) -> int:
    """A row or a word of the state is read by an instruction."""
    return touches(s, CELLS + cell, 0)


@kernel
def writes_cell(s: Exploring, cell: int) -> int:
    """A row or a word of the state is written by an instruction."""
    return touches(s, CELLS + cell, 1)
