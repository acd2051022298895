"""A thread's bounded FIFOs: before the MOP expander, and between it and the replay expander.

A full FIFO refuses a word; nothing is ever dropped. Manual: PushTensixInstruction.md.
"""

from tilelab.sim.checks import check, fault
from tilelab.sim.errors import UndefinedBehaviorError
from tilelab.sim.fifo import push_traced, slot
from tilelab.sim.kernel import OK, kernel
from tilelab.tensix.chips.opcodes import MOP, MOP_CFG
from tilelab.tensix.frontend.replay_expander import PLAY_BACK
from tilelab.tensix.state.records import State
from tilelab.tensix.tables.figures import PIPES
from tilelab.tensix.words.waits import WAIT_FIFO_FULL

LATE_CAPACITY = 8

MOP_FROM_BRISC = check(
    "mop-from-brisc",
    UndefinedBehaviorError,
    "{value:#010x} is a MOP or MOP_CFG pushed by BRISC, whose words enter after the MOP expander",
    "MOPExpander.md",
    "push it from the thread's own TRISC",
)


@kernel
def push(s: State, t: int, word: int, origin: int) -> int:
    """Push a word into a thread's input FIFO, as its TRISC does."""
    frontend = s.frontend[t]
    if frontend.input_fifo.count >= s.arch.input_fifo[t]:
        return WAIT_FIFO_FULL
    push_traced(frontend.input_fifo, word, origin)
    frontend.pushed += 1
    return OK


@kernel
def push_late(s: State, t: int, word: int, origin: int) -> int:
    """Push a word after the MOP expander, as BRISC does."""
    opcode = word >> 24
    if opcode in (MOP, MOP_CFG):
        return fault(s, MOP_FROM_BRISC, word)
    frontend = s.frontend[t]
    if frontend.late_fifo.count >= LATE_CAPACITY:
        return WAIT_FIFO_FULL
    push_traced(frontend.late_fifo, word, origin)
    frontend.pushed += 1
    return OK


@kernel
def mop_pending(s: State, t: int) -> int:
    """Whether a MOP of the thread is queued or expanding (what mop_sync waits for)."""
    frontend = s.frontend[t]
    if frontend.mop_active:
        return 1
    for i in range(frontend.input_fifo.count):
        if frontend.input_fifo.data[slot(frontend.input_fifo, i)] >> 24 == MOP:
            return 1
    return 0


@kernel
def unfinished(s: State, t: int) -> int:
    """Whether any instruction of the thread is still on its way (what tensix_sync waits for)."""
    frontend = s.frontend[t]
    if (
        frontend.input_fifo.count
        or frontend.late_fifo.count
        or frontend.gate_full
        or frontend.mop_active
    ):
        return 1
    if frontend.replay_mode == PLAY_BACK or frontend.wait.kind:
        return 1
    if s.cycle.on:
        for pipe in range(PIPES):
            if s.cycle.pipe_busy[t, pipe] > s.clock:
                return 1
    return 0
