"""Which event made which: from an issued word back to the push, exactly, by order.

Within a thread nothing overtakes, so the n-th word that a stage emitted is the n-th that came out
of what it took in. Events of words that were under way before the recording have no link.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from tilelab.tensix.chips.opcodes import MOP
from tilelab.tensix.cycle import events
from tilelab.tensix.frontend.expand import ReplayExpander
from tilelab.tensix.state import THREADS
from tilelab.tensix.words.mop import MopStep, unpack_place
from tilelab.tensix.words.origin import (
    BRISC,
    HOST,
    mop_ordinal,
    origin_of,
    pushed_at,
    pusher,
    slot_ordinal,
    without_slot,
)

Numbers = npt.NDArray[Any]
NONE = -1


@dataclass(frozen=True)
class Links:
    """For each event the index of another one, or -1.

    ``made_by``: an issued word's REPLAY_OUT; a REPLAY_OUT's or RECORD_SLOT's MOP_OUT (of a word
    played back: the REPLAY's) or BRISC's PUSH; a MOP_OUT's PUSH, if a TRISC pushed it.
    ``recorded``: the RECORD_SLOT of a word that the replay expander played back.
    """

    events: Numbers
    made_by: Numbers
    recorded: Numbers

    def origin(self, i: int, kind: int) -> int:
        """The event of a kind that event ``i`` goes back to (itself, perhaps), or -1."""
        while i != NONE and self.events["kind"][i] != kind:
            i = int(self.made_by[i])
        return i

    def place(self, i: int) -> MopStep | None:
        """Where in a MOP's loops a word was emitted; None if no MOP made it or it is unknown."""
        i = self.origin(i, events.MOP_OUT)
        if i == NONE or not mop_ordinal(int(self.events["extra"][i])):
            return None
        return unpack_place(int(self.events["length"][i]))


def links(found: Numbers, replay_count0: int) -> Links:
    """Link events, as a recording has them; ``replay_count0``: what a REPLAY of 0 words plays."""
    made_by = np.full(len(found), NONE, np.int64)
    recorded = np.full(len(found), NONE, np.int64)
    for t in range(THREADS):
        mop = _of(found, events.MOP_OUT, t)
        out = _of(found, events.REPLAY_OUT, t)
        slots = _of(found, events.RECORD_SLOT, t)
        pushes = _of(found, events.PUSH, t)
        late = _of(found, events.PUSH, BRISC)
        late = np.sort(np.concatenate([mop, late[found["length"][late] == t]]))
        _link(found, made_by, _of(found, events.ISSUE, t), out)
        sources = _through_replay(found["value"][late].tolist(), replay_count0)
        for made, ordinals in zip((out, slots), sources, strict=True):
            count = min(len(made), len(ordinals))
            _link(found, made_by, made[:count], late[ordinals[:count]], before_replay=True)
        _link_pushes(found, made_by, mop, pushes)
        _link_slots(found, recorded, out, slots)
    return Links(found, made_by, recorded)


def _of(found: Numbers, kind: int, part: int) -> Numbers:
    return np.flatnonzero((found["kind"] == kind) & (found["part"] == part))


def _link(
    found: Numbers, made_by: Numbers, made: Numbers, source: Numbers, before_replay: bool = False
) -> None:
    """Link two columns of events, up to where their origins no longer agree."""
    count = min(len(made), len(source))
    made, source = made[:count], source[:count]
    origins = [found["extra"][made].astype(np.uint64), found["extra"][source].astype(np.uint64)]
    pushed = found["kind"][source] == events.PUSH
    origins[1][pushed] |= origin_of(found["part"][source][pushed].astype(np.uint64), 0)
    if before_replay:
        origins = [without_slot(column) for column in origins]
    differ = np.flatnonzero(origins[0] != origins[1])
    good = int(differ[0]) if len(differ) else count
    made_by[made[:good]] = source[:good]


def _through_replay(words: list[int], replay_count0: int) -> tuple[Numbers, Numbers]:
    """For each word that the replay expander emits, and records: which one it took in."""
    emitted: list[int] = []
    recorded: list[int] = []
    expander = ReplayExpander(replay_count0)
    for i, word in enumerate(words):
        if expander.left:
            recorded.append(i)
        emitted += [i] * len(expander.take(word, i))
    return np.array(emitted, np.int64), np.array(recorded, np.int64)


def _link_pushes(found: Numbers, made_by: Numbers, mop: Numbers, pushes: Numbers) -> None:
    """Link what the MOP expander emitted to what was pushed: a MOP_CFG emits nothing."""
    pushed = list(
        zip(
            found["extra"][pushes].tolist(),
            found["value"][pushes].tolist(),
            pushes.tolist(),
            strict=True,
        )
    )
    at, last = -1, NONE
    columns = (mop.tolist(), found["extra"][mop].tolist(), found["value"][mop].tolist())
    for i, extra, word in zip(*columns, strict=True):
        step = mop_ordinal(extra)
        if step <= 1:
            last = NONE
            if pusher(extra) == HOST:
                continue
            after = at + 1
            while after < len(pushed):
                pc, value, event = pushed[after]
                if pc == pushed_at(extra) and (value >> 24 == MOP if step else value == word):
                    at, last = after, event
                    break
                after += 1
        made_by[i] = last


def _link_slots(found: Numbers, recorded: Numbers, out: Numbers, slots: Numbers) -> None:
    """Link what was played back to the latest recording of its slot."""
    played = slot_ordinal(found["extra"][out]).astype(np.int64) - 1
    for slot in range(32):
        own = slots[found["length"][slots] == slot]
        which = out[played == slot]
        if len(own) and len(which):
            k = np.searchsorted(own, which) - 1
            recorded[which[k >= 0]] = own[k[k >= 0]]
