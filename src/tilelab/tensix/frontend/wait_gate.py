"""The wait gate: the last stage of a thread's frontend.

It holds back a word while a latched STALLWAIT or SEMWAIT blocks its class, and forgets the latched
wait one round after its conditions are met, so the instruction behind a wait is always subject to
it for at least one round. Manual: STALLWAIT.md, SEMWAIT.md.
"""

from tilelab.sim.checks import check, fault
from tilelab.sim.errors import UndefinedBehaviorError
from tilelab.sim.kernel import OK, kernel
from tilelab.tensix.backend.sync_unit import NO_WAIT, keeps_waiting
from tilelab.tensix.chips.opcodes import MOP, MOP_CFG, NOP, REPLAY
from tilelab.tensix.state.records import State
from tilelab.tensix.words.waits import WAIT_LATCHED

ALL_BLOCKED = 0x1FF

NESTED_REPLAY = check(
    "replay-at-wait-gate",
    UndefinedBehaviorError,
    "{value:#010x} is a REPLAY that was itself recorded: it is never expanded again",
    "REPLAY.md",
    "do not record a REPLAY, nor a MOP that emits one",
)
EXPANDER_WORD_AT_GATE = check(
    "mop-at-wait-gate",
    UndefinedBehaviorError,
    "{value:#010x} is a MOP or MOP_CFG behind the MOP expander: a MOP emitted it",
    "MOPExpander.md",
)
UNKNOWN_OPCODE = check(
    "unknown-opcode",
    UndefinedBehaviorError,
    "{value:#010x} has an opcode that no instruction has",
    "README.md",
)


@kernel
def blocked(s: State, t: int, word: int) -> int:
    """Whether the latched wait, if any, blocks a word."""
    wait = s.frontend[t].wait
    if wait.kind == NO_WAIT:
        return 0
    opcode = word >> 24
    if opcode == NOP:
        return 1 if wait.block_mask == ALL_BLOCKED else 0
    return 1 if wait.block_mask & s.block_mask[opcode] else 0


@kernel
def pass_gate(s: State, t: int) -> int:
    """Decide about the word at the gate: OK to issue it, a wait code, or a check's code."""
    word = s.frontend[t].gate_word
    opcode = word >> 24
    if opcode == REPLAY:
        return fault(s, NESTED_REPLAY, word)
    if opcode in (MOP, MOP_CFG):
        return fault(s, EXPANDER_WORD_AT_GATE, word)
    if blocked(s, t, word):
        return WAIT_LATCHED
    return OK


@kernel
def evaluate_wait(s: State, t: int) -> None:
    """Forget the latched wait if its conditions are met now (seen from the next round on)."""
    wait = s.frontend[t].wait
    if wait.kind != NO_WAIT and not keeps_waiting(s, t):
        wait.kind = NO_WAIT
