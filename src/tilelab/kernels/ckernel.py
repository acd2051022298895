"""The builders that authors know: ``ckernel_template``, ``ckernel_unpack_template``, ``lltt``.

They keep the names, argument order and defaults of tt-llk (ckernel_template.h) and of the sfpi
header lltt.h, so that a kernel's set-up can be written down in Python as it stands in C++. What
they do, they do to a :class:`Stream`: a list to look at, a thread's expanders, or a tile.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Protocol

from tilelab.sim.errors import BadInputError
from tilelab.tensix.chips.opcodes import MOP, MOP_CFG, NOP, REPLAY
from tilelab.tensix.frontend.expand import ThreadExpander, Word, checked_word
from tilelab.tensix.report.display import words_html
from tilelab.tensix.words.macros import Sink

NOP_WORD = NOP << 24


class Stream(Sink, Protocol):
    """What a TRISC does to its thread's frontend."""

    def write_mop_cfg(self, index: int, value: int) -> None:
        """Write one MopCfg register."""

    def mop_sync(self) -> None:
        """Wait until no MOP is queued or expanding."""


@dataclass
class ExpandedStream:
    """A stream that expands at once; ``words`` holds what reached the wait gate."""

    thread: ThreadExpander
    words: list[Word] = field(default_factory=list)

    def push(self, word: int) -> None:
        """Push an instruction word and collect what leaves the expanders."""
        self.words += self.thread.push(checked_word(word))

    def _repr_html_(self) -> str:
        """For notebooks."""
        return words_html(self.words, self.thread.arch.name)

    def write_mop_cfg(self, index: int, value: int) -> None:
        """Write one MopCfg register."""
        self.thread.write_mop_cfg(index, checked_word(value))

    def mop_sync(self) -> None:
        """Nothing to wait for: expansion is immediate."""


def mop(template: int, count1: int, mask_lo: int) -> int:
    """Return a MOP word."""
    return MOP.word(
        mop_type=_fits(template, 1),
        loop_count=_fits(count1, 7),
        zmask_lo16_or_loop_count=_fits(mask_lo, 16),
    )


def mop_cfg(mask_hi: int) -> int:
    """Return a MOP_CFG word."""
    return MOP_CFG.word(zmask_hi16=_fits(mask_hi, 16))


def _fits(value: int, bits: int) -> int:
    if not 0 <= value < 1 << bits:
        raise BadInputError(f"{value} does not fit {bits} bits")
    return value


class ckernel_template:  # noqa: N801 - the name authors know
    """A MOP of template 1: ``outer`` times (start, ``inner`` times loop, ends).

    With ``loop_op1`` the inner loop alternates between the two and runs twice as often. The last
    inner iteration is ``loop_op`` (or ``loop_op1``) unless a setter says otherwise.
    """

    def __init__(
        self, outer_loop_len: int, inner_loop_len: int, loop_op: int, loop_op1: int = NOP_WORD
    ) -> None:
        self.outer_loop_len = _fits(outer_loop_len, 7)
        self.inner_loop_len = _fits(inner_loop_len, 7)
        self.loop_op0 = checked_word(loop_op)
        self.loop_op1 = checked_word(loop_op1)
        self.start_op = self.end_op0 = self.end_op1 = NOP_WORD
        last = loop_op if loop_op1 >> 24 == NOP else loop_op1
        self.loop0_last_instr = self.loop1_last_instr = checked_word(last)

    def set_start_op(self, start_op: int) -> None:
        """Emit a word before each inner loop."""
        self.start_op = checked_word(start_op)

    def set_end_op(self, end_op0: int) -> None:
        """Emit a word after each inner loop."""
        self.set_end_ops(end_op0, NOP_WORD)

    def set_end_ops(self, end_op0: int, end_op1: int) -> None:
        """Emit two words after each inner loop; the second is dropped if the first is a NOP."""
        self.end_op0, self.end_op1 = checked_word(end_op0), checked_word(end_op1)

    def set_last_inner_loop_instr(self, op: int) -> None:
        """Replace the last inner iteration of every outer iteration but the last (MopCfg[8])."""
        self.loop1_last_instr = checked_word(op)

    def set_last_outer_loop_instr(self, op: int) -> None:
        """Replace the last inner iteration of the last outer iteration (MopCfg[7])."""
        self.loop0_last_instr = checked_word(op)

    def registers(self) -> list[int]:
        """The nine MopCfg words."""
        return [
            self.outer_loop_len,
            self.inner_loop_len,
            self.start_op,
            self.end_op0,
            self.end_op1,
            self.loop_op0,
            self.loop_op1,
            self.loop0_last_instr,
            self.loop1_last_instr,
        ]

    def program(self, stream: Stream) -> None:
        """Wait for the MOP expander, then write MopCfg[0..8]."""
        stream.mop_sync()
        for index, value in enumerate(self.registers()):
            stream.write_mop_cfg(index, value)

    @staticmethod
    def run(stream: Stream) -> None:
        """Push MOP(1, 0, 0)."""
        stream.push(mop(1, 0, 0))


class ckernel_unpack_template:  # noqa: N801 - the name authors know
    """A MOP of template 0: for each zero-mask bit, the A and B instructions or their skips."""

    def __init__(
        self,
        unpack_b: bool,
        unpack_halo: bool,
        a0_instr: int,
        a1_instr: int = NOP_WORD,
        a2_instr: int = NOP_WORD,
        a3_instr: int = NOP_WORD,
        skip_a_instr: int = NOP_WORD,
        b_instr: int = NOP_WORD,
        skip_b_instr: int = NOP_WORD,
    ) -> None:
        self.unpack_b, self.unpack_halo = bool(unpack_b), bool(unpack_halo)
        self.a_instrs = tuple(map(checked_word, (a0_instr, a1_instr, a2_instr, a3_instr)))
        self.skip_a_instr = checked_word(skip_a_instr)
        self.b_instr = checked_word(b_instr)
        self.skip_b_instr = checked_word(skip_b_instr)

    def registers(self) -> list[int]:
        """MopCfg[1..8]; MopCfg[0] is not used by this template."""
        flags = self.unpack_b | self.unpack_halo << 1
        return [flags, self.b_instr, *self.a_instrs, self.skip_a_instr, self.skip_b_instr]

    def program(self, stream: Stream) -> None:
        """Wait for the MOP expander, then write MopCfg[1..8]."""
        stream.mop_sync()
        for index, value in enumerate(self.registers(), start=1):
            stream.write_mop_cfg(index, value)

    @staticmethod
    def run(stream: Stream, count: int, zmask: int | None = None) -> None:
        """Push the MOP; with a zero mask, a MOP_CFG before it.

        Without one, the mask's upper half is whatever an earlier MOP_CFG left: it is sticky.
        """
        if zmask is not None:
            stream.push(mop_cfg(checked_word(zmask) >> 16))
        stream.push(mop(0, count - 1, (zmask or 0) & 0xFFFF))


class lltt:  # noqa: N801 - the namespace authors know
    """Recording into the replay buffer, and playing back."""

    @staticmethod
    def record(stream: Stream, start: int, length: int, execute: bool = False) -> None:
        """Record the next ``length`` words from slot ``start`` on, executing them too if asked."""
        stream.push(_replay(start, length) | execute << 1 | 1)

    @staticmethod
    def replay(stream: Stream, start: int, length: int) -> None:
        """Play back ``length`` words from slot ``start`` on."""
        stream.push(_replay(start, length))

    @staticmethod
    def replay_insn(start: int, length: int) -> int:
        """Return the word that plays back, to put into a MOP."""
        return _replay(start, length)


def _replay(start: int, length: int) -> int:
    return REPLAY.word(start_idx=_fits(start, 10), len=_fits(length, 10))


def load_replay_buf(
    stream: Stream,
    start: int,
    length: int,
    emit: Callable[[Stream], None],
    execute: bool = False,
) -> None:
    """Record what ``emit`` pushes, which must be ``length`` words.

    BadInputError if it pushes more or fewer: the recording would swallow what comes next.
    """
    with recording(stream, start, length, execute) as counted:
        emit(counted)


@contextmanager
def recording(stream: Stream, start: int, length: int, execute: bool = False) -> Iterator[Stream]:
    """Record what is pushed within a ``with`` block; see :func:`load_replay_buf`."""
    counted = _CountedStream(stream)
    lltt.record(stream, start, length, execute)
    yield counted
    if counted.count != length:
        raise BadInputError(f"{counted.count} words were pushed to record {length}")


@dataclass
class _CountedStream:
    inner: Stream
    count: int = 0

    def push(self, word: int) -> None:
        self.count += 1
        self.inner.push(word)

    def write_mop_cfg(self, index: int, value: int) -> None:
        self.inner.write_mop_cfg(index, value)

    def mop_sync(self) -> None:
        self.inner.mop_sync()
