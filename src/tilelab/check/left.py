"""What a kernel leaves to the next one: semaphores, Src banks, lanes and mutexes as it found them.

A kernel is started again and again, and others behind it. A semaphore that is not back at what it
began with, a bank that the unpackers have filled and nobody has used, lanes that are off, and a
mutex that is still held are found there by the next. Address counters, RWCs and configuration are set anew by every
operation's init. Only kernels that cores run are looked at: a fragment in assembly leaves what it
likes.

Sources: tt-isa-documentation, SyncUnit.md, SrcASrcB.md; tt-llk#1662.
"""

from collections.abc import Iterator
from itertools import product
from typing import Any, Final

from tilelab.check import places
from tilelab.check.engine import CheckedTile
from tilelab.check.findings import Finding, acted, at_end
from tilelab.check.remains import BANK_LEFT, LANES_LEFT, MAILBOX_LEFT, MAILERS, MUTEX_LEFT, SEMAPHORE_LEFT
from tilelab.tensix.backend.vector_unit.lreg import ALL_LANES
from tilelab.tensix.tables.figures import SEMAPHORES
from tilelab.tensix.words.origin import CORE_NAMES

BANKS: Final = 2


def left_behind(tile: CheckedTile) -> Iterator[Finding]:
    """Everything that the program has not left as it found it."""
    if not tile.programs:
        return
    state, noted = tile.state.s, tile.engine.shadow
    for i in range(SEMAPHORES):
        value, began = int(state.semaphore[i].value), int(noted["semaphore_began"][i])
        if value != began:
            where = f"{places.semaphore(tile, i)} at {value}, which began at {began}"
            yield from _found(
                tile, SEMAPHORE_LEFT, where, noted["semaphore"][i, int(value < began)]
            )
    for which, name in enumerate(places.SRCS):
        for bank in range(BANKS):
            if state.src[which].valid[bank]:
                where = f"bank {bank} of {name} filled, which nobody has used"
                yield from _found(tile, BANK_LEFT, where, noted["given"][which, bank])
    vector = state.vector
    off = int(vector.lane_flags) ^ ALL_LANES if vector.use_lane_flags else 0
    if off or vector.flag_stack_depth:
        where = f"{off.bit_count()} lanes off and {int(vector.flag_stack_depth)} flags on their stack"
        yield from _found(tile, LANES_LEFT, where, noted["lanes_on"][()])
    for to, by in product(range(MAILERS), repeat=2):
        if count := int(state.mailbox[to][by].count):
            where = f"{count} unread in {CORE_NAMES[to]}'s mailbox from {CORE_NAMES[by]}"
            yield from _found(tile, MAILBOX_LEFT, where, noted["mailed"][to, by])
    for index, taker in enumerate(noted["mutex"]):
        if state.mutex[index]:
            where = f"mutex {index} held by thread {int(state.mutex[index]) - 1}"
            yield from _found(tile, MUTEX_LEFT, where, taker)


def _found(tile: CheckedTile, code: int, where: str, act: Any) -> Iterator[Finding]:
    """A finding about what is left, with who acted there last."""
    if not tile.is_off(code):
        yield at_end(tile, code, where, (acted(tile, act),))
