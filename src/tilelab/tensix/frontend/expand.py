"""The two expanders of a thread as the manual writes them: generators over words.

This is the functional model: no FIFOs, no time. Every emitted word carries where it came from.
The streaming state machines beside this file emit the same words one per step; a property test
holds them equal. Manual: MOPExpander.md, REPLAY.md.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from operator import index
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tilelab.sim.errors import BadInputError
from tilelab.tensix.arch import Arch, arch
from tilelab.tensix.chips.opcodes import MOP, MOP_CFG, REPLAY
from tilelab.tensix.frontend.replay_expander import REPLAY_SLOTS, replay_length, replay_start
from tilelab.tensix.words.mop import (
    END_OP0,
    END_OP1,
    FLAGS,
    INNER_COUNT,
    LOOP,
    LOOP_OP1,
    NEXT_OUTER,
    OUTER_BUG,
    OUTER_COUNT,
    REGISTERS,
    ROLES,
    START,
    START_OP,
    MopStep,
    has_outer_bug,
    inner_iterations,
    last_stage0,
    register0,
    register1,
    settled1,
)


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


class Template(NamedTuple):
    """What a MOP emits, as MopCfg registers: arrays with an item for each word."""

    number: int
    register: npt.NDArray[np.uint8]
    outer: npt.NDArray[np.intp]
    inner: npt.NDArray[np.intp]

    def steps(self) -> Iterator[MopStep]:
        """Name each word's place."""
        roles = ROLES[self.number]
        for register, outer, inner in zip(
            self.register.tolist(), self.outer.tolist(), self.inner.tolist(), strict=True
        ):
            yield MopStep(self.number, outer, inner, roles[register], register)


def template0(mask: int, count1: int, mop_cfg: Sequence[int]) -> Template:
    """Template 0: for each mask bit, the A and B instructions or their skips."""
    flags = mop_cfg[FLAGS]
    of_bit = [
        [register0(flags, skipped, stage) for stage in range(last_stage0(flags, skipped) + 1)]
        for skipped in (0, 1)
    ]
    rows = [of_bit[mask >> i & 1] for i in range(count1 + 1)]
    register = np.array([number for row in rows for number in row], dtype=np.uint8)
    outer = np.repeat(np.arange(count1 + 1), [len(row) for row in rows])
    return Template(0, register, outer, np.zeros_like(outer))


def template1(mop_cfg: Sequence[int], count_bits: int) -> Template:
    """Template 1: the double loop, its hardware bug included."""
    mask = (1 << count_bits) - 1
    ends = mop_cfg[START_OP], mop_cfg[END_OP0], mop_cfg[END_OP1]
    loop_op1 = mop_cfg[LOOP_OP1]
    inner = inner_iterations(mop_cfg[INNER_COUNT] & mask, loop_op1)
    outer = mop_cfg[OUTER_COUNT] & mask
    if has_outer_bug(outer, inner, *ends[:2]):
        outer += OUTER_BUG
    row: list[int] = []
    place: list[int] = []
    last = None
    stage = settled1(START, inner, *ends)
    while stage != NEXT_OUTER:
        if stage == LOOP:
            two = [register1(LOOP, i, 0, 0, loop_op1) for i in (0, 1)]
            last = len(row) + inner - 1
            row += [*(two * inner)[: inner - 1], register1(LOOP, inner - 1, 1, 0, loop_op1)]
            place += range(inner)
        else:
            place.append(0 if stage == START else inner)
            row.append(register1(stage, inner, 0, 0, loop_op1))
        stage = settled1(stage + 1, inner if stage == START else 0, *ends)
    register = np.tile(np.array(row, dtype=np.uint8), outer)
    if last is not None and outer:
        register[last - len(row)] = register1(LOOP, inner - 1, 1, 1, loop_op1)
    return Template(
        1, register, np.repeat(np.arange(outer), len(row)), np.tile(np.array(place, int), outer)
    )


def mop_template(word: int, mask_hi: int, mop_cfg: Sequence[int], arch: Arch) -> Template:
    """What a MOP word makes of the MopCfg registers."""
    if MOP.mop_type(word):
        return template1(mop_cfg, arch.mop_count_bits)
    mask = mask_hi << 16 | MOP.zmask_lo16_or_loop_count(word)
    return template0(mask, MOP.loop_count(word), mop_cfg)


class ReplayExpander:
    """REPLAY.md: a buffer of 32 words, and a recording under way.

    Of each word in the buffer it keeps who recorded it: whatever number comes with it.
    """

    def __init__(self, replay_count0: int) -> None:
        self.replay_count0 = replay_count0
        self.buffer = [0] * REPLAY_SLOTS
        self.recorded_by = [-1] * REPLAY_SLOTS
        self.left = 0
        """Words that a recording still wants."""
        self._index = 0
        self._executes = 0

    def take(self, word: int, source: int) -> list[tuple[int, ReplaySlot | None]]:
        """Take in a word that ``source`` pushed; what leaves because of it."""
        if self.left:
            self.buffer[self._index] = word
            self.recorded_by[self._index] = source
            self._index = (self._index + 1) % REPLAY_SLOTS
            self.left -= 1
            return [(word, None)] if self._executes else []
        if word >> 24 != REPLAY:
            return [(word, None)]
        start, length = replay_start(word), replay_length(word, self.replay_count0)
        if REPLAY.load_mode(word):
            self.left, self._index = length, start
            self._executes = REPLAY.execute_while_loading(word)
            return []
        slots = [(start + i) % REPLAY_SLOTS for i in range(length)]
        return [(self.buffer[i], ReplaySlot(i, self.recorded_by[i])) for i in slots]


@dataclass
class ThreadExpander:
    """One thread's expanders: push words and write MopCfg, get what reaches the wait gate."""

    arch: Arch
    mop_cfg: list[int] = field(default_factory=lambda: [0] * REGISTERS)
    mask_hi: int = 0
    pushed: int = 0

    def __post_init__(self) -> None:
        self.replay = ReplayExpander(self.arch.replay_count0)

    def write_mop_cfg(self, index: int, value: int) -> None:
        """Write one MopCfg register."""
        if not 0 <= index < REGISTERS:
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
            self.mask_hi = MOP_CFG.zmask_hi16(word)
        elif opcode == MOP:
            cfg = list(self.mop_cfg)
            for step in mop_template(word, self.mask_hi, cfg, self.arch).steps():
                yield from self._replay(cfg[step.register], push, step)
        else:
            yield from self._replay(word, push, None)

    def _replay(self, word: int, push: int, mop: MopStep | None) -> Iterator[Word]:
        for emitted, slot in self.replay.take(word, push):
            yield Word(emitted, push, mop, slot)


def thread_expander(chip: str, mop_cfg: Sequence[int] = (), mask_hi: int = 0) -> ThreadExpander:
    """Return a thread's expanders in a given state."""
    if len(mop_cfg) > REGISTERS:
        raise BadInputError(f"MopCfg has 9 registers, not {len(mop_cfg)}")
    registers = [checked_word(value) for value in mop_cfg]
    return ThreadExpander(
        arch(chip), registers + [0] * (REGISTERS - len(registers)), checked_word(mask_hi) & 0xFFFF
    )


def checked_word(word: int) -> int:
    """Return a word as a Python int; BadInputError if it is not a 32-bit unsigned number."""
    try:
        value = index(word)
    except TypeError:
        raise BadInputError(f"{word!r} is no word: it is {type(word).__name__}") from None
    if not 0 <= value <= 0xFFFFFFFF:
        raise BadInputError(f"{value:#x} is not a 32-bit word")
    return value
