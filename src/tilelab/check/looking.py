"""A core's loops: those around a place, and whether a load is a look or takes data.

A look, which is repeated until something has come, may come too early: the next one will do. That
is told by the code: a loop of a few instructions, around the load or another one of the same word
behind it, that does not move on to another address.
"""

from bisect import bisect_right
from collections.abc import Iterator
from typing import Final

from tilelab.check.accesses import report, unordered
from tilelab.check.rules import L1_STORE_OVERTAKEN, RACE_L1
from tilelab.check.shadow import ACTOR_MASK, CORE_ACTOR, GRANULE_SHIFT
from tilelab.check.stores import l1_under_way, stored_by
from tilelab.check.view import Checking
from tilelab.elf.program import Program
from tilelab.riscv.fields import Major, b_offset, i_offset, j_offset, major, rd, rs1, rs2, s_offset
from tilelab.sim.kernel import kernel
from tilelab.tensix.riscv.core import fetch_word

NEAR: Final = 24
"""Instructions of a loop that looks, at most."""
SOON: Final = 8
"""Instructions in which a word is changed in its place, at most."""
LOAD: Final = int(Major.LOAD)
BRANCH: Final = int(Major.BRANCH)
STORE: Final = int(Major.STORE)
JAL: Final = int(Major.JAL)
JALR: Final = int(Major.JALR)
REGISTER: Final = int(Major.REGISTER)
COMPUTES: Final = (int(Major.IMMEDIATE), REGISTER)
RD: Final = 31 << 7


@kernel
def sees_store(s: Checking, core: int, address: int, mark: int) -> int:
    """A core loads a word whose piece of L1 has another one's mark; the mark that it learns from.

    If it was told of a store there that may not have arrived, only a look is right. What it adds to
    a word without a lock, others lose.
    """
    granule = address >> GRANULE_SHIFT
    by_core = CORE_ACTOR <= mark & ACTOR_MASK < CORE_ACTOR + s.arch.cores
    if by_core and unordered(s, mark) and changes_in_place(s, core):
        last = stored_by(s, address, mark)
        if unordered(s, last):
            report(s, RACE_L1, granule << GRANULE_SHIFT, last)
    if not l1_under_way(s, mark) or unordered(s, mark):
        return mark
    mark = stored_by(s, address, mark)  # it was told of that, and so of all before it
    if l1_under_way(s, mark) and not looks_again(s, core):
        report(s, L1_STORE_OVERTAKEN, granule << GRANULE_SHIFT, mark)
    return mark


@kernel
def looks_again(s: Checking, core: int) -> int:
    """Whether the load that a core is at is a look; so is that of a function which only loads."""
    start = s.riscv[core].pc
    load = fetch_word(s, core, start)
    last = start
    for i in range(1, NEAR):
        pc = start + 4 * i
        word = fetch_word(s, core, pc)
        kind = major(word)
        if kind == JALR:
            return 1
        if kind == LOAD and (word ^ load) & ~RD == 0:
            last = pc  # the same once more: a loop's first round often stands before it
        back = goes_back(word)
        if back and last - 4 * NEAR <= pc + back <= last:
            return stays(s, core, pc + back, pc, rs1(load))
    return 0


@kernel
def changes_in_place(s: Checking, core: int) -> int:
    """Whether a core at once stores to where it loads from what it makes of the loaded word."""
    start = s.riscv[core].pc
    load = fetch_word(s, core, start)
    base, value = rs1(load), rd(load)
    for i in range(1, SOON):
        word = fetch_word(s, core, start + 4 * i)
        kind = major(word)
        if kind == STORE and rs1(word) == base and s_offset(word) == i_offset(load):
            return 1 if rs2(word) == value else 0
        if kind == STORE:
            continue
        if kind not in COMPUTES or base in (value, rd(word)):
            return 0
        if rs1(word) == value or (kind == REGISTER and rs2(word) == value):
            value = rd(word)
        elif rd(word) == value:
            return 0
    return 0


@kernel
def goes_back(word: int) -> int:
    """How far a branch or a jump goes, if backwards; else 0."""
    if major(word) == BRANCH:
        return min(0, b_offset(word))
    return min(0, j_offset(word)) if major(word) == JAL and rd(word) == 0 else 0


@kernel
def stays(s: Checking, core: int, first: int, last: int, base: int) -> int:
    """Whether a loop leaves an address alone that is in a register."""
    for pc in range(first, last, 4):
        word = fetch_word(s, core, pc)
        if major(word) in COMPUTES and rd(word) == base:
            return 0
    return 1


def loops_around(program: Program, pc: int) -> Iterator[int]:
    """The jumps back that end the loops around an address, in its function; the innermost first."""
    starts = [at for at, _ in program.symbols]
    index = bisect_right(starts, pc)
    begin = starts[index - 1] if index else 0
    for start, code in program.segments:
        if start <= pc < start + len(code):
            end = min(start + len(code), *starts[index : index + 1], start + len(code))
            for at in range(pc, end, 4):
                back = goes_back(int.from_bytes(code[at - start : at - start + 4], "little"))
                if back and begin <= at + back <= pc:
                    yield at
