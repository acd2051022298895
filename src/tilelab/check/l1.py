"""What the checker does when L1 is read or written: races, programs, and whose buffer it is.

Cores, and the scalar unit with them, order L1 by reading what another wrote, so that a read by one
of a write by another is never a conflict. A write over a write is one, if nothing says that it
comes later and, of cores, it changes anything.

A *kind* says what a piece of L1 is for: a core's program, the counters of circular buffers, or one
of the kernel's arrays. A packer's tile, and what the mover moves at once, stays in the array in
which it begins.
"""

from typing import Final

from tilelab.check.accesses import is_word, report, report_of, unknown, unordered
from tilelab.check.knowledge import on_its_way
from tilelab.check.rules import (
    L1_CODE,
    L1_OTHER,
    L1_STORE_OVERTAKEN,
    NOC_UNANSWERED,
    NOC_UNFLUSHED,
    NOC_UNWAITED,
    RACE_L1,
    UNINIT_L1,
)
from tilelab.check.shadow import (
    ACTOR_MASK,
    ARRAYS,
    CORE_PIPE,
    COUNTERS_KIND,
    GRANULE_SHIFT,
    HOST_PIPE,
    NOC_LAND_PIPE,
    NOC_READ_PIPE,
    NOC_WRITE_PIPE,
    OTHER_ACTOR,
    OTHER_PIPE,
    PARTS,
)
from tilelab.check.stores import l1_under_way
from tilelab.check.view import Checking, epoch_of
from tilelab.sim.kernel import OK, kernel
from tilelab.tensix.chips.opcodes import STOREIND
from tilelab.tensix.tables.figures import MOVER_PIPE, PACK_PIPE, SCALAR_PIPE
from tilelab.tensix.tables.l1_map import CIRCULAR_BUFFERS

COUNTERS: Final = CIRCULAR_BUFFERS.start
COUNTERS_END: Final = CIRCULAR_BUFFERS.stop


@kernel
def orders_itself(pipe: int) -> int:
    """Whether programs use L1 to order what acts so: cores, the host, others, the scalar unit."""
    if pipe == SCALAR_PIPE or pipe == OTHER_PIPE:
        return 1
    return 1 if CORE_PIPE <= pipe <= HOST_PIPE else 0


@kernel
def bytes_of(granule: int, first: int, last: int) -> int:
    """Bit per byte of a granule that lies between two addresses."""
    begin = first - (granule << GRANULE_SHIFT)
    end = last - (granule << GRANULE_SHIFT)
    mask = 0xFFFF
    if begin > 0:
        mask &= 0xFFFF << begin
    if end < 15:
        mask &= (1 << end + 1) - 1
    return mask


@kernel
def both_store(s: Checking, mark: int) -> int:
    """Whether a word of the scalar unit stores over what another one has stored: the last wins."""
    if s.shadow.word >> 24 != STOREIND or (mark & ACTOR_MASK) >> 2 != SCALAR_PIPE:
        return 0
    return is_word(s, mark, STOREIND)


@kernel
def l1_conflict(s: Checking, granule: int, mark: int) -> int:
    """Report an access to L1 that nothing orders behind the other one."""
    there = (mark & ACTOR_MASK) >> 2
    if there == NOC_READ_PIPE:
        return report(s, NOC_UNWAITED, granule << GRANULE_SHIFT, mark)
    if there == NOC_WRITE_PIPE:
        return report(s, NOC_UNFLUSHED, granule << GRANULE_SHIFT, mark)
    if there == NOC_LAND_PIPE or there == OTHER_PIPE:
        return report(s, NOC_UNANSWERED, granule << GRANULE_SHIFT, mark)
    if orders_itself(s.shadow.pipe) and orders_itself(there) and not both_store(s, mark):
        return OK
    return report(s, RACE_L1, granule << GRANULE_SHIFT, mark)


@kernel
def never_written(s: Checking, granule: int) -> int:
    """Nobody has written what is read; in a circular buffer, who handed it over is to blame too."""
    c = s.shadow
    where = granule << GRANULE_SHIFT
    buffer = c.kind_buffer[s.shadow_kind[granule]]
    if buffer and c.counted[2 * buffer - 2].mark:
        return report_of(s, UNINIT_L1, where, c.counted[2 * buffer - 2])
    return report(s, UNINIT_L1, where, 0)


@kernel
def uses(s: Checking, granule: int, mine: int, overtaken: int) -> int:
    """Bytes of one granule are taken; ``overtaken``: the rule about a core's store on its way."""
    mark = s.shadow_writer[granule]
    if mark == 0:
        return never_written(s, granule)
    if arrived(s, mark) or not s.shadow_bytes[granule] & mine:
        return OK
    if l1_under_way(s, mark) and not unknown(s, mark):
        return report(s, overtaken, granule << GRANULE_SHIFT, mark)
    return l1_conflict(s, granule, mark)


@kernel
def arrived(s: Checking, mark: int) -> int:
    """Whether all that somebody wrote to L1 is surely there for who acts."""
    if mark & ACTOR_MASK == s.shadow.actor:
        return 1
    if unknown(s, mark) or (mark & ACTOR_MASK == OTHER_ACTOR and on_its_way(s, mark)):
        return 0
    return 0 if l1_under_way(s, mark) else 1


@kernel
def reads_l1(s: Checking, first: int, last: int) -> None:
    """Bytes of L1 are read by an instruction."""
    c = s.shadow
    last = min(last, s.arch.l1_size - 1)  # what follows is no L1: Wormhole's instruction RAM
    there = 0
    for granule in range(first >> GRANULE_SHIFT, (last >> GRANULE_SHIFT) + 1):
        mark = s.shadow_writer[granule]
        if mark == 0 or mark != there:
            uses(s, granule, bytes_of(granule, first, last), L1_STORE_OVERTAKEN)
            there = mark if arrived(s, mark) else 0
        s.shadow_reader[granule] = c.mark


@kernel
def writes_l1(s: Checking, first: int, last: int) -> None:
    """Bytes of L1 are written by an instruction."""
    last = min(last, s.arch.l1_size - 1)
    if s.shadow.pipe == SCALAR_PIPE and COUNTERS <= first < COUNTERS_END:
        s.shadow.counting = 1 + (first - COUNTERS >> 2)
    writes_bytes(s, first, last)


@kernel
def writes_bytes(s: Checking, first: int, last: int) -> None:
    """What acts now writes bytes of L1."""
    for granule in range(first >> GRANULE_SHIFT, (last >> GRANULE_SHIFT) + 1):
        writes_granule(s, granule, bytes_of(granule, first, last))


@kernel
def writes_granule(s: Checking, granule: int, mine: int) -> None:
    """Bytes of one granule of L1 are written by an instruction or a core."""
    c = s.shadow
    mark = s.shadow_writer[granule]
    if mark & ACTOR_MASK == c.actor:
        known = c.known[c.row].of[c.actor]
        if c.pipe not in (NOC_READ_PIPE, NOC_LAND_PIPE) or epoch_of(mark) > known:
            mine |= s.shadow_bytes[granule]
    elif unknown(s, mark) and s.shadow_bytes[granule] & mine:
        l1_conflict(s, granule, mark)
    mark = s.shadow_reader[granule]
    if (mark & ACTOR_MASK) >> 2 == NOC_READ_PIPE:
        if mark != c.mark and epoch_of(mark) > c.known[c.row].of[mark & ACTOR_MASK]:
            report(s, NOC_UNFLUSHED, granule << GRANULE_SHIFT, mark)
    elif mark & ACTOR_MASK != c.actor and unknown(s, mark):
        l1_conflict(s, granule, mark)
    if s.shadow_kind[granule] or c.began[c.pipe]:
        looks_at_kind(s, granule, s.shadow_kind[granule])
    s.shadow_writer[granule] = c.mark
    s.shadow_bytes[granule] = mine


@kernel
def looks_at_kind(s: Checking, granule: int, kind: int) -> int:
    """A piece of L1 is written that is something, or in a tile that began in something."""
    c = s.shadow
    where = granule << GRANULE_SHIFT
    if 0 < kind < COUNTERS_KIND:
        return report(s, L1_CODE, where, 0)
    unit = c.pipe in (PACK_PIPE, MOVER_PIPE)
    noc = c.pipe in (NOC_READ_PIPE, NOC_LAND_PIPE)
    if kind == COUNTERS_KIND:
        return report(s, L1_OTHER, where, 0) if unit else OK
    if kind and c.input_kind[kind]:
        return report(s, L1_OTHER, where, 0)
    if unit or noc:
        if c.began[c.pipe] == 0:
            c.began[c.pipe] = kind
        elif kind != c.began[c.pipe] and (noc or kind >= ARRAYS):
            report(s, L1_OTHER, where, 0)
    return OK


@kernel
def holds_already(s: Checking, address: int, size: int, value: int) -> int:
    """Whether what a core stores is there: who looks for it may have seen it before."""
    mask = (1 << 8 * size) - 1
    return 0 if (s.l1_32[address >> 2] >> 8 * (address & 3) ^ value) & mask else 1


@kernel
def overwrites(s: Checking, address: int, size: int, value: int) -> int:
    """A core stores over what another core, or a scalar unit, has stored: who comes last wins.

    Or over a word that a NoC write may still have to take.
    """
    c = s.shadow
    granule = address >> GRANULE_SHIFT
    if holds_already(s, address, size, value):
        return OK  # whoever comes last, it is the same
    mine = bytes_of(granule, address, address + size - 1)
    for i in range(min(c.parts, PARTS)):
        if c.part_at[i] == granule and c.part_bytes[i] & mine and unknown(s, c.part_mark[i]):
            report(s, NOC_UNFLUSHED, granule << GRANULE_SHIFT, c.part_mark[i])
    mark = s.shadow_writer[granule]
    actor = mark & ACTOR_MASK
    if not unordered(s, mark) or not orders_itself(actor >> 2):
        return OK
    if not s.shadow_bytes[granule] & mine or s.shadow_bytes[granule] & ~mine:
        return OK  # of several stores to a piece only the last one's time is kept
    return report(s, RACE_L1, granule << GRANULE_SHIFT, mark)
