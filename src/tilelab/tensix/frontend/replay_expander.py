"""The replay expander of one thread, as a state machine that hands one word to the wait gate.

Manual: REPLAY.md.
"""

from typing import Any, TypeVar

import numpy.typing as npt

from tilelab.sim.checks import Policy, check, refuse
from tilelab.sim.errors import NonContractualBehaviorError, UnsupportedFunctionalityError
from tilelab.sim.fifo import peek, peek_origin, pop
from tilelab.sim.kernel import OK, kernel
from tilelab.tensix.chips.opcodes import REPLAY
from tilelab.tensix.state.records import State
from tilelab.tensix.words.origin import with_replay_slot

PASS, RECORD, RECORD_AND_EXECUTE, PLAY_BACK = 0, 1, 2, 3

REPLAY_LENGTH_0 = check(
    "replay-length-0",
    UnsupportedFunctionalityError,
    "REPLAY with length 0, read as {value} words; the manuals disagree (64 or 32)",
    "REPLAY.md",
    "give the length; the option replay_count0 selects the reading",
    policy=Policy.WARN,
)
REPLAY_LENGTH_ABOVE_32 = check(
    "replay-length-above-32",
    UnsupportedFunctionalityError,
    "REPLAY of {value} words is longer than the buffer of 32, and wraps",
    "REPLAY.md",
    policy=Policy.WARN,
)
REPLAY_EXEC_WITHOUT_LOAD = check(
    "replay-exec-without-load",
    NonContractualBehaviorError,
    "REPLAY plays back with its execute-while-loading bit set ({value:#010x}); the bit is ignored",
    "REPLAY.md",
    policy=Policy.WARN,
)


REPLAY_SLOTS = 32
WordT = TypeVar("WordT", int, npt.NDArray[Any])
"""A word, or an array of them."""


@kernel
def stated_length(word: WordT) -> WordT:
    """The length that a REPLAY states: its lower six bits count."""
    return REPLAY.len(word) & 63


@kernel
def replay_length(word: int, count0: int) -> int:
    """How many words a REPLAY records or plays back; ``count0`` if it states 0."""
    length = stated_length(word)
    return length if length else count0


@kernel
def replay_start(word: WordT) -> WordT:
    """The slot at which a REPLAY begins."""
    return REPLAY.start_idx(word) & 31


@kernel
def start_replay(s: State, t: int, word: int, origin: int) -> int:
    """Take in a REPLAY."""
    f = s.frontend[t]
    length = replay_length(word, s.arch.replay_count0)
    if stated_length(word) == 0 and refuse(s, REPLAY_LENGTH_0, length):
        return REPLAY_LENGTH_0
    if length > 32 and stated_length(word) and refuse(s, REPLAY_LENGTH_ABOVE_32, length):
        return REPLAY_LENGTH_ABOVE_32
    executes = REPLAY.execute_while_loading(word)
    loads = REPLAY.load_mode(word)
    if executes and not loads and refuse(s, REPLAY_EXEC_WITHOUT_LOAD, word):
        return REPLAY_EXEC_WITHOUT_LOAD
    f.replay_index = replay_start(word)
    f.replay_left = length
    f.replay_origin = origin
    if not loads:
        f.replay_mode = PLAY_BACK
    elif executes:
        f.replay_mode = RECORD_AND_EXECUTE
    else:
        f.replay_mode = RECORD
    return OK


@kernel
def _to_gate(s: State, t: int, word: int, origin: int) -> None:
    f = s.frontend[t]
    f.gate_word = word
    f.gate_origin = origin
    f.gate_full = 1
    f.expanded += 1


@kernel
def _count_down(s: State, t: int) -> int:
    f = s.frontend[t]
    f.replay_index = (f.replay_index + 1) & 31
    f.replay_left -= 1
    if f.replay_left == 0:
        f.replay_mode = PASS
    return OK


@kernel
def step_replay_expander(s: State, t: int) -> int:
    """Move at most one word to the wait gate, if that is free."""
    f = s.frontend[t]
    if f.gate_full:
        return OK
    mode = f.replay_mode
    if mode == PASS:
        if f.late_fifo.count == 0:
            return OK
        word = peek(f.late_fifo)
        origin = peek_origin(f.late_fifo)
        if word >> 24 == REPLAY:
            code = start_replay(s, t, word, origin)
            if code != OK:
                return code
            mode = f.replay_mode
        else:
            _to_gate(s, t, word, origin)
        pop(f.late_fifo)
        if mode != PLAY_BACK:
            return OK
    if mode == PLAY_BACK:
        slot = f.replay_index
        _to_gate(s, t, f.replay_buffer[slot], with_replay_slot(f.replay_origin, slot))
        return _count_down(s, t)
    if f.late_fifo.count == 0:
        return OK
    word = peek(f.late_fifo)
    f.replay_buffer[f.replay_index] = word
    if mode == RECORD_AND_EXECUTE:
        _to_gate(s, t, word, peek_origin(f.late_fifo))
    pop(f.late_fifo)
    return _count_down(s, t)
