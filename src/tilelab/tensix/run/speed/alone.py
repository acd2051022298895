"""Rounds of the cores, told apart by what else there is to be looked at meanwhile."""

from tilelab.sim.kernel import OK, kernel
from tilelab.tensix.frontend.fifo import mop_pending, unfinished
from tilelab.tensix.riscv.core import advance
from tilelab.tensix.run.polls.polling import leave_changed, look_at_step
from tilelab.tensix.run.rounds import run_cores
from tilelab.tensix.run.stuck import (
    BATCH,
    all_effects,
    drowsy,
    drowsy_rounds,
    spinning,
)
from tilelab.tensix.state.records import State
from tilelab.tensix.words.origin import BRISC
from tilelab.tensix.words.waits import WAIT_FIFO_FULL, WAIT_MAILBOX, WAIT_MOP_SYNC, WAIT_TENSIX_SYNC


@kernel
def waits_on(s: State, core: int, heard: int) -> int:
    """Whether a core that waits for its thread's frontend, or for a mailbox, would wait again.

    A mailbox is what it was while ``effects`` are what they were (``heard``) when it was looked at.
    """
    code = s.engine.core_wait[core]
    if code == WAIT_MAILBOX:
        return 1 if s.effects == heard else 0
    if core >= BRISC:  # it may have pushed to any thread
        return 0
    if code == WAIT_FIFO_FULL:
        return 1 if s.frontend[core].input_fifo.count >= s.arch.input_fifo[core] else 0
    if code == WAIT_MOP_SYNC:
        return mop_pending(s, core)
    return unfinished(s, core) if code == WAIT_TENSIX_SYNC else 0


@kernel
def step_cores(s: State, waiting: int, heard: int) -> tuple[int, int]:
    """One round of the cores: a failed check's code or OK, and bits of those that wait after it
    for their thread's frontend or for a mailbox.

    Who waited before (``waiting``) is not stepped while it would wait again.
    """
    for core in range(s.arch.cores):
        bit = 1 << core
        if not s.riscv[core].running or s.engine.polling & bit:
            waiting &= ~bit
        elif not (waiting & bit and waits_on(s, core, heard)):
            warnings = s.fault.warnings
            code = look_at_step(s, core) if s.engine.looking else advance(s, core)
            if code > 0:
                return code, waiting
            waiting &= ~bit
            if WAIT_MAILBOX <= code <= WAIT_FIFO_FULL and s.fault.warnings == warnings:
                waiting |= bit
            if s.engine.polling and s.engine.shown:
                leave_changed(s, core + 1)
    return OK, waiting


@kernel
def run_alone(s: State, rounds: int) -> int:
    """Run up to so many rounds of the cores alone, as long as nothing else is to be looked at.

    OK, or a failed check's code.
    """
    if not drowsy(s):
        return run_cores(s, min(rounds, BATCH))
    seen = all_effects(s)
    rounds = min(rounds, drowsy_rounds(s))
    code = run_cores(s, 1)
    while code == OK and rounds > 1 and all_effects(s) == seen and not spinning(s):
        rounds -= 1
        code = run_cores(s, 1)
    return code
