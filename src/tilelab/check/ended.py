"""What is left when a program has ended: requests, recorded words, units' state, tiles.

A kernel is started again and again, and others behind it. A semaphore that is not back at what it
began with, a bank that the unpackers have filled and nobody has used, lanes that are off, and a
mutex that is still held are found there by the next. Address counters, RWCs and configuration are
set anew by every operation's init. A fragment in assembly, which no core runs, is asked for lanes
alone, which it has switched on itself.

Sources: tt-isa-documentation, SyncUnit.md, SrcASrcB.md; tt-llk#1662.
"""

from collections.abc import Container, Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any, Final

import numpy as np

from tilelab.check import counters, places, shadow
from tilelab.check.engine import CheckedTile
from tilelab.check.findings import Finding, Party, acted, at_end, party, rule_of
from tilelab.check.noc import ATOMICS, NO_ANSWER
from tilelab.check.replays import PLAYERS, SHORT_TAIL, SWALLOWED, SYNCHRONISE, UNPLAYED
from tilelab.check.rules import (
    BANK_LEFT,
    L1_OTHER,
    LANES_LEFT,
    MAILBOX_LEFT,
    MUTEX_LEFT,
    NOC_LEFT,
    SEMAPHORE_LEFT,
)
from tilelab.formats.placement import Placement
from tilelab.kernels.page_counts import uneven
from tilelab.tensix.backend.vector_unit.lreg import ALL_LANES
from tilelab.tensix.chips.opcodes import INCRWC, SETRWC, STALLWAIT
from tilelab.tensix.state.layout import THREADS
from tilelab.tensix.tables.figures import PACK_PIPE, SEMAPHORES
from tilelab.tensix.words.origin import CORE_NAMES, push_site, pusher

CUT_OFF = (STALLWAIT, SETRWC, INCRWC)
"""What those behind it rely on: it tells if one ends a recording and is never played."""
PACKERS: Final = range(PACK_PIPE, PACK_PIPE + 4)
"""The packers' pipelines."""


@dataclass(frozen=True)
class Noted:
    """A request of the NoC, and who first saw in a counter that it was over: 0 for nobody."""

    number: int
    actor: int
    origin: int
    seen: tuple[int, ...]
    """Of a read or an atomic, that its answer is there; of a write, that it has left, has come."""
    seen_at: int

    @property
    def kind(self) -> int:
        """Whether it is a read, a write or an atomic."""
        return 2 if self.actor & ATOMICS else int(self.actor >> 2 == shadow.NOC_WRITE_PIPE)


def requests(tile: CheckedTile, since: int = 0) -> Iterator[Noted]:
    """What a tile has asked of the NoC after a request's number, as far as that is remembered."""
    noted = tile.engine.shadow
    now = int(noted["noc_now"])
    numbers = np.arange(max(since, now - shadow.NOC_LOG) + 1, now + 1)
    for number in numbers[noted["noc_actor"][numbers & shadow.NOC_LOG - 1] != 0]:
        at = int(number) & shadow.NOC_LOG - 1
        seen = tuple(int(one) for one in noted["noc_seen"][:, at] if one != NO_ANSWER)
        when = max(int(one) for one in noted["noc_seen_at"][: len(seen), at])
        yield Noted(
            int(number), int(noted["noc_actor"][at]), int(noted["noc_origin"][at]), seen, when
        )


def outstanding(tile: CheckedTile) -> Iterator[Noted]:
    """Each core's last read, write and atomic on each interface that no core has waited for.

    Nobody can wait for a write without an answer.
    """
    left = (one for one in requests(tile) if not one.seen[-1] and (one.kind != 1 or one.seen[1:]))
    yield from {(one.kind, one.actor & 1, pusher(one.origin)): one for one in left}.values()


def left_outstanding(tile: CheckedTile) -> Iterator[Finding]:
    """What a program that has ended has asked of the NoC and not waited for.

    A request that another finding is about already is left out.
    """
    if tile.is_off(NOC_LEFT):
        return
    noted = tile.engine.shadow
    said = {int(f["other_origin"]) for f in noted["finding"][: int(noted["found"])]}
    for one in outstanding(tile):
        if one.origin in said:
            continue
        side = party(tile, one.number << shadow.EPOCH_SHIFT | one.actor, 0, one.origin)
        where = rule_of(NOC_LEFT).place(tile, one.kind)
        yield at_end(tile, NOC_LEFT, where, (side,), CORE_NAMES[pusher(one.origin)])


def swallowed(tile: CheckedTile, unfinished: Container[int] = ()) -> Iterator[Finding]:
    """Words for others, or that wait, which a thread recorded and neither executed nor played.

    A STALLWAIT is one only at the end of a recording that was played but for that end. Threads that
    are ``unfinished`` may still play what they have recorded.
    """
    noted = tile.engine.shadow
    for t in range(0 if tile.is_off(SWALLOWED) else THREADS):
        owner, held, words = (noted[f"slot_{name}"][t] for name in ("owner", "held", "word"))
        for at in () if t in unfinished else held.nonzero()[0]:
            mine = [slot for slot in range(len(held)) if owner[slot] == owner[at]]
            tail = [slot for slot in mine if held[slot]]
            ends = tail == mine[len(mine) - len(tail) :] and len(tail) <= SHORT_TAIL
            opcode = int(words[at]) >> 24
            cut_off = opcode in CUT_OFF and ends and len(tail) < len(mine)
            if opcode not in SYNCHRONISE and not cut_off:
                continue
            by = int(owner[at]) & (PLAYERS - 1)
            recorder = int(noted["recorder_word"][by]), int(noted["recorder_origin"][by])
            sides = (
                party(tile, 1, int(words[at]), int(noted["slot_origin"][t][at])),
                party(tile, 1, *recorder),
            )
            where = rule_of(SWALLOWED).place(tile, int(at))
            yield at_end(tile, SWALLOWED, where, sides, f"thread {t}")


def unplayed(tile: CheckedTile) -> Iterator[Finding]:
    """Recordings of which no word was executed or played, but as many others; each place once."""
    noted = tile.engine.shadow
    last = int(noted["recordings"])
    if tile.is_off(UNPLAYED):
        return
    idle: dict[int, int] = {}
    used: set[int] = set()
    for number in range(max(1, last - PLAYERS + 1), last + 1):
        at = number & (PLAYERS - 1)
        site = push_site(int(noted["recorder_origin"][at]))
        idle[site] = at
        if not noted["recorder_idle"][at]:
            used.add(site)
    for site, at in idle.items():
        missed = int(noted["missed_origin"][at])
        if site not in used and missed:
            word, origin = int(noted["recorder_word"][at]), int(noted["recorder_origin"][at])
            first, length = int(noted["recorder_first"][at]), int(noted["recorder_length"][at])
            where = rule_of(UNPLAYED).place(tile, length << 5 | first)
            other = party(tile, 1, int(noted["missed_word"][at]), missed)
            sides = party(tile, 1, word, origin), other
            yield at_end(tile, UNPLAYED, where, sides, other.actor)


def left_behind(tile: CheckedTile) -> Iterator[Finding]:
    """Everything that the program has not left as it found it."""
    state, noted = tile.state.s, tile.engine.shadow
    vector = state.vector
    off = int(vector.lane_flags) ^ ALL_LANES if vector.use_lane_flags else 0
    if off or vector.flag_stack_depth:
        depth = int(vector.flag_stack_depth)
        where = f"{off.bit_count()} lanes off, {depth} entries on the flag stack"
        yield from _found(tile, LANES_LEFT, where, noted["lanes_on"][()])
    for which, name in enumerate(places.SRCS):
        # a fragment in assembly may leave to others what it never takes itself
        for bank in range(2 if tile.programs or noted["turned_issue"][which] else 0):
            if state.src[which].valid[bank]:
                where = f"bank {bank} of {name} filled, which nobody has used"
                yield from _found(tile, BANK_LEFT, where, noted["given"][which, bank])
    if not tile.programs:
        return
    for i in range(SEMAPHORES):
        value, began = int(state.semaphore[i].value), int(noted["semaphore_began"][i])
        if value != began:
            where = f"{places.semaphore(tile, i)} at {value}, which began at {began}"
            yield from _found(
                tile, SEMAPHORE_LEFT, where, noted["semaphore"][i, int(value < began)]
            )
    for to, by in product(range(shadow.MAILERS), repeat=2):
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


def left_over(tile: CheckedTile) -> Iterator[Finding]:
    """Buffers that hold tiles which one side never counted, or lack tiles which it should have."""
    noted = tile.engine.shadow
    wrong = noted["finding"][: int(noted["found"])]
    known = {int(f["value"]) >> 1 for f in wrong if int(f["rule"]) in counters.WATCH.rules}
    for area in tile.engine.arrays:
        if area.buffer is None or area.buffer in known or tile.is_off(counters.CB_LEFT):
            continue
        index = 2 * area.buffer
        received, acknowledged = (int(noted["counter"][index + side]) for side in (0, 1))
        if text := uneven(area.buffer, area.capacity, received, acknowledged):
            last = index + 1 if acknowledged else index
            sides = counted(tile, last), counted(tile, last ^ 1)
            yield at_end(tile, counters.CB_LEFT, text, sides)
        elif not received and never_pushed(tile, area):
            text = f"no tile received of c_{area.buffer}, though a packer has written there"
            sides = counted(tile, index), counted(tile, index + 1)
            yield at_end(tile, counters.CB_LEFT, text, sides)


def never_pushed(tile: CheckedTile, area: Placement) -> bool:
    """Whether a packer has written a buffer's tiles, meaning to, and nobody ever counted one."""
    assert area.buffer is not None
    noted = tile.engine.shadow
    if not noted["counter_set"][2 * area.buffer] or noted["counted_by"][2 * area.buffer]:
        return False
    strays = [f for f in noted["finding"][: int(noted["found"])] if f["rule"] == L1_OTHER]
    if any(int(stray["value"]) in area.extent for stray in strays):
        return False
    first, last = (at >> shadow.GRANULE_SHIFT for at in (area.extent.start, area.extent.stop))
    marks = tile.engine.l1_shadow["shadow_writer"][first:last].astype(np.uint64)
    writers = marks & np.uint64(shadow.ACTOR_MASK)
    return bool(np.isin(writers >> np.uint64(2), list(PACKERS)).any())


def counted(tile: CheckedTile, index: int) -> Party | None:
    """Who counted a counter last; None if nobody did."""
    return acted(tile, tile.engine.shadow["counted"][index])
