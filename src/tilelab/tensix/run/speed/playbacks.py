"""Code of their own for what replay expanders play back often.

A playback is a run of words of a thread's replay buffer. The fast engine counts those that
``streams.stream`` meets; one that comes often enough gets a function made of its words
(``generate_playback.py``), which :func:`play` calls from then on, as long as the buffer holds
exactly these words. Nothing else is assumed, so nothing else can make it wrong. What a function
does is what ``stream`` does, word for word; it ends before anything that ``stream`` decides about.
"""

from collections.abc import Callable
from typing import Any, Final, Protocol

import numpy as np
import numpy.typing as npt

from tilelab.sim.array import Array1
from tilelab.sim.kernel import OK, call_at, kernel
from tilelab.sim.record import record_type
from tilelab.tensix.frontend.replay_expander import REPLAY_SLOTS
from tilelab.tensix.state.records import State

PLACES: Final = 128
"""Playbacks that are known at a time; a power of two."""
TABLE_INDEX: Final = 7
"""Which of the addresses before the state's record is the table's."""
FIRST_ASKED: Final = 1 << 16
"""Words that a playback has played when somebody asks for the first time whether it has code."""
ASKED: Final = 1 << 19
"""From then on it is asked for after so many; to interpret them takes at least ``tiers.NOTED``."""
ISSUED_BITS: Final = 8
ISSUED: Final = (1 << ISSUED_BITS) - 1
"""Bits of a function's result that say how many words it issued; above them is a code."""

PLAYBACK = record_type(
    [
        ("key", "<u4"),  # thread, first slot, how many slots more; 0: nothing is known here
        ("code", "<u8"),  # address of its function, or 0
        ("count", "<u8"),  # words that it has played, less those of others that came here
        ("due", "<u8"),  # count at which its function is asked for
        ("word", "<u4", (REPLAY_SLOTS,)),  # by slot
    ]
)
TABLE = record_type([("wanted", "<u4"), ("playback", PLAYBACK, (PLACES,))])
"""``wanted``: one more than the place of a playback whose function is to be asked for, or 0."""


class Playback(Protocol):
    """A record ``PLAYBACK``, as kernels see it."""

    key: int
    code: int
    count: int
    due: int
    word: Array1


class Table(Protocol):
    """A record ``TABLE``, as kernels see it."""

    wanted: int
    playback: list[Playback]


class Playing(State):
    """A tile's state in an engine that has a table."""

    played: Table


@kernel
def key_of(t: int, first: int, left: int) -> int:
    """A playback's key: its thread, its first slot, and how many slots it has more."""
    return t << 16 | first << 8 | left


@kernel
def place_of(key: int) -> int:
    """Where in the table a playback is, if it is there."""
    return ((key >> 16) * 41 + (key >> 8 & 0xFF) * 5 + (key & 0xFF) * 3) & (PLACES - 1)


@kernel
def differs(s: Playing, t: int, playback: Playback, first: int, last: int) -> int:
    """Whether the replay buffer holds other words than a playback has.

    Mostly all of the buffer is what it was, which is the quickest to see.
    """
    f = s.frontend[t]
    other = 0
    for slot in range(REPLAY_SLOTS):
        other |= playback.word[slot] ^ f.replay_buffer[slot]
    if other == 0:
        return 0
    for slot in range(first, last + 1):
        if playback.word[slot] != f.replay_buffer[slot]:
            return 1
    return keep_words(s, t, playback)


@kernel
def keep_words(s: Playing, t: int, playback: Playback) -> int:
    """Note what the replay buffer holds; OK."""
    f = s.frontend[t]
    for slot in range(REPLAY_SLOTS):
        playback.word[slot] = f.replay_buffer[slot]
    return OK


@kernel
def note(s: Playing, t: int, playback: Playback, key: int, words: int) -> int:
    """Count against a playback that another one has come; that one takes its place in the end."""
    if playback.count > words:
        playback.count -= words
        return 0
    playback.key = key
    playback.code = 0
    playback.count = words
    playback.due = FIRST_ASKED
    return keep_words(s, t, playback)


@kernel
def play(s: Playing, t: int, index: int, left: int) -> int:
    """``streams.play``: the function of the words from the gate's on, if there is one."""
    first = (index - 1) & (REPLAY_SLOTS - 1)
    last = first + left
    f = s.frontend[t]
    if last >= REPLAY_SLOTS or f.gate_word != f.replay_buffer[first]:
        return 0
    key = key_of(t, first, left)
    place = place_of(key)
    playback = s.played.playback[place]
    if playback.key != key or differs(s, t, playback, first, last):
        return note(s, t, playback, key, left + 1)
    if playback.code:
        return call_at(playback.code, s)
    playback.count += left + 1
    if playback.count >= playback.due:
        s.played.wanted = place + 1
    return 0


class Playbacks:
    """A tile's table; ``function`` gives a thread's words an address, 0 if they have no code yet.

    It is told, too, how many times :data:`ASKED` they have been played since it was asked last.
    """

    def __init__(self, function: Callable[[int, tuple[int, ...], int], int]) -> None:
        self._function = function
        self.table: Any = np.zeros((), TABLE)
        self.wanted: npt.NDArray[np.uint32] = self.table["wanted"].reshape(1)
        """One number: not 0 if :meth:`ask` is to be called."""

    def know(self, t: int, first: int, words: tuple[int, ...], code: int) -> Any:
        """Have a playback of a thread from a slot on in the table; its row."""
        key = key_of(t, first, len(words) - 1)
        row = self.table["playback"][place_of(key)]
        row["key"], row["code"], row["count"], row["due"] = key, code, 0, FIRST_ASKED
        row["word"][first : first + len(words)] = words
        return row

    def ask(self) -> None:
        """Ask for the function that is wanted."""
        row = self.table["playback"][self.wanted[0] - 1]
        self.wanted[0] = 0
        key, due = int(row["key"]), int(row["due"])
        first, left = key >> 8 & 0xFF, key & 0xFF
        words = tuple(int(word) for word in row["word"][first : first + left + 1])
        row["code"] = self._function(key >> 16, words, 1 if due > FIRST_ASKED else 0)
        row["due"] = due + ASKED
