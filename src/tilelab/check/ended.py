"""What is left when a program has ended: NoC requests, and words that were only recorded."""

from collections.abc import Container, Iterator
from dataclasses import dataclass

import numpy as np

from tilelab.check import shadow
from tilelab.check.engine import CheckedTile
from tilelab.check.findings import Finding, at_end, party, rule_of
from tilelab.check.noc import ATOMICS, NO_ANSWER
from tilelab.check.replays import PLAYERS, SHORT_TAIL, SWALLOWED, SYNCHRONISE, UNPLAYED
from tilelab.check.rules import NOC_LEFT
from tilelab.tensix.chips.opcodes import INCRWC, SETRWC, STALLWAIT
from tilelab.tensix.state.layout import THREADS
from tilelab.tensix.words.origin import CORE_NAMES, push_site, pusher

CUT_OFF = (STALLWAIT, SETRWC, INCRWC)
"""What those behind it rely on: it tells if one ends a recording and is never played."""


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
