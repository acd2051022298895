"""The two expanders of a thread as the manual writes them: generators over words.

This is the functional model: no FIFOs, no time. Every emitted word carries where it came from.
The streaming state machines beside this file emit the same words one per step; a property test
holds them equal. Manual: MOPExpander.md, REPLAY.md.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tilelab.sim.errors import BadInputError
from tilelab.tensix.arch import Arch, arch
from tilelab.tensix.frontend.fifo import MOP, MOP_CFG, NOP, REPLAY

ROLES_TEMPLATE0 = ("InsnA0", "InsnA1", "InsnA2", "InsnA3")


class MopStep(NamedTuple):
    """Which part of a MOP's loops emitted a word; ``register`` is its MopCfg index."""

    template: int
    outer: int
    inner: int
    role: str
    register: int


class ReplaySlot(NamedTuple):
    """Which slot a word was played back from, and which push recorded it there."""

    slot: int
    recorded_by: int


class Word(NamedTuple):
    """A word that leaves the expanders: ``push`` counts the pushes it came from, from 0."""

    word: int
    push: int
    mop: MopStep | None = None
    replay: ReplaySlot | None = None


def is_nop(word: int) -> bool:
    """Whether a word is a plain NOP, whatever its operand bits; DMANOP and SFPNOP are not."""
    return word >> 24 == NOP


def expand_template0(
    mask: int, count1: int, mop_cfg: Sequence[int]
) -> Iterator[tuple[int, MopStep]]:
    """Template 0: for each mask bit, the A and B instructions or their skips."""
    flags = mop_cfg[1]
    for i in range(count1 + 1):
        if mask >> i & 1 == 0:
            for n in range(4 if flags & 2 else 1):
                yield mop_cfg[3 + n], MopStep(0, i, 0, ROLES_TEMPLATE0[n], 3 + n)
            if flags & 1:
                yield mop_cfg[2], MopStep(0, i, 0, "InsnB", 2)
        else:
            yield mop_cfg[7], MopStep(0, i, 0, "SkipA0", 7)
            if flags & 1:
                yield mop_cfg[8], MopStep(0, i, 0, "SkipB", 8)


def expand_template1(mop_cfg: Sequence[int], count_bits: int) -> Iterator[tuple[int, MopStep]]:
    """Template 1: the double loop, its hardware bug included."""
    mask = (1 << count_bits) - 1
    outer, inner = mop_cfg[0] & mask, mop_cfg[1] & mask
    start, end0, end1, loop, loop1 = mop_cfg[2:7]
    alternate = not is_nop(loop1)
    if alternate:
        inner *= 2
    if outer == 1 and is_nop(start) and inner == 0 and not is_nop(end0):
        outer += 128  # the hardware's own mistake, which kernels may depend on
    for j in range(outer):
        if not is_nop(start):
            yield start, MopStep(1, j, 0, "StartOp", 2)
        for i in range(inner):
            if i != inner - 1:
                odd = alternate and i & 1
                yield (
                    (loop1, MopStep(1, j, i, "LoopOp1", 6))
                    if odd
                    else (loop, MopStep(1, j, i, "LoopOp", 5))
                )
            elif j != outer - 1:
                yield mop_cfg[8], MopStep(1, j, i, "Loop1Last", 8)
            else:
                yield mop_cfg[7], MopStep(1, j, i, "Loop0Last", 7)
        if not is_nop(end0):
            yield end0, MopStep(1, j, inner, "EndOp0", 3)
            if not is_nop(end1):
                yield end1, MopStep(1, j, inner, "EndOp1", 4)


@dataclass
class ThreadExpander:
    """One thread's expanders: push words and write MopCfg, get what reaches the wait gate."""

    arch: Arch
    mop_cfg: list[int] = field(default_factory=lambda: [0] * 9)
    mask_hi: int = 0
    replay_buffer: list[int] = field(default_factory=lambda: [0] * 32)
    recorded_by: list[int] = field(default_factory=lambda: [-1] * 32)
    pushed: int = 0
    _record_left: int = 0
    _record_index: int = 0
    _record_exec: bool = False

    def write_mop_cfg(self, index: int, value: int) -> None:
        """Write one MopCfg register."""
        if not 0 <= index < 9:
            raise BadInputError(f"MopCfg has registers 0 to 8, not {index}")
        self.mop_cfg[index] = value

    def push(self, word: int, after_mop_expander: bool = False) -> Iterator[Word]:
        """Push one word; yields what leaves the replay expander because of it.

        ``after_mop_expander``: enter where BRISC's words do.
        """
        push = self.pushed
        self.pushed += 1
        opcode = word >> 24
        if after_mop_expander:
            if opcode in (MOP, MOP_CFG):
                raise BadInputError(f"{word:#010x}: BRISC cannot push a MOP or MOP_CFG")
            yield from self._replay(word, push, None)
        elif opcode == MOP_CFG:
            self.mask_hi = word & 0xFFFF
        elif opcode == MOP:
            cfg = list(self.mop_cfg)
            if word >> 23 & 1:
                emitted = expand_template1(cfg, self.arch.mop_count_bits)
            else:
                mask = self.mask_hi << 16 | word & 0xFFFF
                emitted = expand_template0(mask, word >> 16 & 127, cfg)
            for inner, step in emitted:
                yield from self._replay(inner, push, step)
        else:
            yield from self._replay(word, push, None)

    def _replay(self, word: int, push: int, mop: MopStep | None) -> Iterator[Word]:
        if self._record_left:
            slot = self._record_index
            self.replay_buffer[slot] = word
            self.recorded_by[slot] = push
            self._record_index = (slot + 1) % 32
            self._record_left -= 1
            if self._record_exec:
                yield Word(word, push, mop)
        elif word >> 24 != REPLAY:
            yield Word(word, push, mop)
        else:
            start = word >> 14 & 31
            length = word >> 4 & 63 or self.arch.replay_count0
            if word & 1:
                self._record_left, self._record_index = length, start
                self._record_exec = bool(word & 2)
                return
            for i in range(length):
                slot = (start + i) % 32
                yield Word(
                    self.replay_buffer[slot], push, mop, ReplaySlot(slot, self.recorded_by[slot])
                )


def expand(
    words: Iterable[int],
    mop_cfg: Sequence[int] = (),
    arch: str = "blackhole",  # the documented name
    mask_hi: int = 0,
) -> npt.NDArray[np.uint32]:
    """Expand pushed words into the words that reach the wait gate, as a uint32 array.

    ``mop_cfg``: the thread's MopCfg registers, up to 9 words; ``mask_hi``: MaskHi at the start.
    BadInputError if a word does not fit 32 bits or there are more than 9 registers.
    """
    thread = thread_expander(arch, mop_cfg, mask_hi)
    out = [emitted.word for word in words for emitted in thread.push(checked_word(word))]
    return np.array(out, dtype=np.uint32)


def thread_expander(chip: str, mop_cfg: Sequence[int] = (), mask_hi: int = 0) -> ThreadExpander:
    """Return a thread's expanders in a given state."""
    if len(mop_cfg) > 9:
        raise BadInputError(f"MopCfg has 9 registers, not {len(mop_cfg)}")
    registers = [checked_word(value) for value in mop_cfg]
    return ThreadExpander(
        arch(chip), registers + [0] * (9 - len(registers)), checked_word(mask_hi) & 0xFFFF
    )


def checked_word(word: int) -> int:
    """Return a word as a Python int; BadInputError if it is not a 32-bit unsigned number."""
    value = int(word)
    if not 0 <= value <= 0xFFFFFFFF:
        raise BadInputError(f"{value:#x} is not a 32-bit word")
    return value
