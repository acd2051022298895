"""Rounds of the cores, told apart by what else there is to be looked at meanwhile."""

from tilelab.sim.kernel import OK, kernel
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
from tilelab.tensix.words.waits import WAIT_FIFO_FULL, WAIT_MAILBOX


@kernel
def stopped_cores(s: State) -> int:
    """Bit per core that does not run."""
    mask = 0
    for core in range(s.arch.cores):
        if not s.riscv[core].running:
            mask |= 1 << core
    return mask


@kernel
def step_cores(s: State, skip: int) -> tuple[int, int]:
    """One round of the cores: a failed check's code or OK, and bits of those to skip from now on.

    A core that waits for its thread's frontend or for a mailbox is skipped; it waits on until
    that frontend moves or ``effects`` counts up.
    """
    effects = s.effects
    for core in range(s.arch.cores):
        if (
            s.riscv[core].running
            and (not skip >> core & 1 or s.effects != effects)
            and not s.engine.polling >> core & 1
        ):
            warnings = s.fault.warnings
            code = look_at_step(s, core) if s.engine.looking else advance(s, core)
            if code > 0:
                return code, skip
            if WAIT_MAILBOX <= code <= WAIT_FIFO_FULL and s.fault.warnings == warnings:
                skip |= 1 << core
            if s.engine.polling and s.engine.shown:
                leave_changed(s, core + 1)
    return OK, skip


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
