"""Expansion of many words at once: what :class:`ThreadExpander` emits, as one array.

A MOP's words, played back, are kept until MopCfg's state or the replay buffer changes; so a kernel
that repeats its MOPs expands at the speed of a copy. Where a word came from is not kept. A property
test holds the two equal.
"""

from collections.abc import Iterable, Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from tilelab.sim.errors import BadInputError
from tilelab.tensix.chips.opcodes import MOP, MOP_CFG, REPLAY
from tilelab.tensix.frontend.expand import (
    ThreadExpander,
    checked_word,
    mop_template,
    thread_expander,
)
from tilelab.tensix.frontend.replay_expander import (
    REPLAY_SLOTS,
    replay_length,
    replay_start,
    stated_length,
)
from tilelab.tensix.words.assembly import Program

Words: TypeAlias = npt.NDArray[np.uint32]
MOST_WORDS = 1 << 30
"""The longest expansion that :func:`expand` returns: 4 GiB."""
KEPT_MOPS = 64
"""How many MOPs' expansions are kept."""


def expand(
    words: Iterable[int] | Program,
    mop_cfg: Sequence[int] = (),
    arch: str | None = None,  # the documented name
    mask_hi: int = 0,
    thread: int | None = None,
) -> Words:
    """Expand pushed words into the words that reach the wait gate, as a uint32 array.

    ``words``: what a thread pushes, or an assembled program, whose ``.mopcfg`` statements take
    effect where they stand; ``thread`` chooses one if the program is of several. ``mop_cfg``: the
    thread's MopCfg registers at the start, up to 9 words; ``mask_hi``: MaskHi at the start.
    ``arch``: blackhole, or the program's chip. BadInputError if a word does not fit 32 bits, there
    are more than 9 registers, a program is of another chip or of no such thread, or more than
    ``MOST_WORDS`` words come out.
    """
    if not isinstance(words, Program):
        if isinstance(words, str | bytes) or not isinstance(words, Iterable):
            raise BadInputError(f"{words!r} is neither words nor a program: assemble() makes one")
        return _Expander(thread_expander(arch or "blackhole", mop_cfg, mask_hi)).expand(
            _checked(words)
        )
    if arch is not None and arch != words.arch:
        raise BadInputError(f"the program is for {words.arch}, not {arch}")
    expander = _Expander(thread_expander(words.arch, mop_cfg, mask_hi))
    pushed: list[int] = []
    for statement in words.of(thread):
        if statement.mop_cfg is None:
            pushed.append(statement.word)
        else:
            expander.push(_checked(pushed))
            pushed = []
            expander.write_mop_cfg(statement.mop_cfg, statement.word)
    return expander.expand(_checked(pushed))


def _checked(words: Iterable[int]) -> Words:
    if isinstance(words, np.ndarray) and words.dtype == np.uint32:
        return words.ravel()
    return np.array([checked_word(word) for word in words], dtype=np.uint32)


class _Expander:
    """One thread's expanders, on arrays."""

    def __init__(self, thread: ThreadExpander) -> None:
        self._arch = thread.arch
        self._mop_cfg = thread.mop_cfg
        self._mask_hi = thread.mask_hi
        self._buffer = np.array(thread.replay.buffer, dtype=np.uint32)
        self._record_left = self._record_index = 0
        self._record_exec = False
        self._kept: dict[tuple[int, int], Words] = {}
        self._out: list[Words] = []
        self._total = 0

    def write_mop_cfg(self, index: int, value: int) -> None:
        """Write a MopCfg register between two pushes."""
        self._mop_cfg = [*self._mop_cfg[:index], value, *self._mop_cfg[index + 1 :]]
        self._kept.clear()

    def expand(self, words: Words) -> Words:
        """Push words; returns everything that was pushed, expanded."""
        self.push(words)
        return np.concatenate(self._out) if self._out else np.zeros(0, dtype=np.uint32)

    def push(self, words: Words) -> None:
        """Push words, which may begin or end within what a REPLAY records."""
        opcodes = words >> 24
        begin = 0
        for at in np.flatnonzero((opcodes == MOP) | (opcodes == MOP_CFG)).tolist():
            self._pass(words[begin:at])
            begin = at + 1
            word = int(words[at])
            if word >> 24 == MOP_CFG:
                self._mask_hi = MOP_CFG.zmask_hi16(word)
            else:
                self._mop(word)
        self._pass(words[begin:])

    def _emit(self, words: Words) -> None:
        if not len(words):
            return
        self._total += len(words)
        if self._total > MOST_WORDS:
            raise BadInputError(f"the program expands to more than {MOST_WORDS:,} words")
        self._out.append(words)

    def _mop(self, word: int) -> None:
        """A MOP: from what is kept, if it can be."""
        key = (1, 0) if MOP.mop_type(word) else (word & 0x7FFFFF, self._mask_hi)
        kept = None if self._record_left else self._kept.get(key)
        if kept is not None:
            self._emit(kept)
            return
        registers = mop_template(word, self._mask_hi, self._mop_cfg, self._arch).register
        words = np.array(self._mop_cfg, dtype=np.uint32)[registers]
        if self._record_left or _records(words).any():
            self._pass(words)
            return
        if len(self._kept) >= KEPT_MOPS:
            self._kept.clear()
        self._kept[key] = self._played(words)
        self._emit(self._kept[key])

    def _pass(self, words: Words) -> None:
        """Through the replay expander."""
        while len(words):
            if self._record_left:
                words = self._record(words)
                continue
            begins = np.flatnonzero(_records(words))
            if not len(begins):
                self._emit(self._played(words))
                return
            at = int(begins[0])
            self._emit(self._played(words[:at]))
            word = int(words[at])
            self._record_left = replay_length(word, self._arch.replay_count0)
            self._record_index = replay_start(word)
            self._record_exec = bool(REPLAY.execute_while_loading(word))
            words = words[at + 1 :]

    def _record(self, words: Words) -> Words:
        """Record what the recording still wants; returns the words after it."""
        taken = words[: self._record_left]
        for word in taken:
            self._buffer[self._record_index] = word
            self._record_index = (self._record_index + 1) % REPLAY_SLOTS
        self._record_left -= len(taken)
        self._kept.clear()
        if self._record_exec:
            self._emit(taken)
        return words[len(taken) :]

    def _played(self, words: Words) -> Words:
        """Play back every REPLAY among words that begin no recording."""
        replays = words >> 24 == REPLAY
        if not replays.any():
            return words
        length = stated_length(words)
        length = np.where(length, length, self._arch.replay_count0)
        length = np.where(replays, length, 1).astype(np.intp)
        ends = np.cumsum(length)
        if int(ends[-1]) > MOST_WORDS - self._total:
            raise BadInputError(f"the program expands to more than {MOST_WORDS:,} words")
        begins = np.repeat(ends - length, length)
        slots = (
            np.repeat(replay_start(words), length) + np.arange(len(begins)) - begins
        ) % REPLAY_SLOTS
        return np.where(np.repeat(replays, length), self._buffer[slots], np.repeat(words, length))


def _records(words: Words) -> npt.NDArray[np.bool_]:
    """Which words are a REPLAY that begins a recording."""
    records: npt.NDArray[np.bool_] = (words >> 24 == REPLAY) & (REPLAY.load_mode(words) == 1)
    return records
