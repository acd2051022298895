"""Latched waits in the cycle clock: STALLWAIT really waits for pipelines to drain.

Manual: STALLWAIT.md, SEMWAIT.md. Not modelled: a core's own requests to configuration and GPRs are
processed at once, so the condition about them is always met.
"""

from typing import Final

from tilelab.sim.kernel import OK, kernel
from tilelab.tensix.backend.src_registers import given, turning
from tilelab.tensix.backend.sync_unit import NO_WAIT, SEMWAIT
from tilelab.tensix.backend.vector_unit.load_macro import settling
from tilelab.tensix.state.records import State
from tilelab.tensix.tables.figures import CONFIG_PIPE, SEMAPHORES, VECTOR_PIPE

ZERO_SHIFT: Final = 0x20
MAX_SHIFT: Final = 0x30
NOTHING: Final = 0xFF


@kernel
def bank_unmet(s: State, condition: int) -> int:
    """Whether a condition about a Src bank is unmet: SrcA cleared, SrcB cleared, A valid, B."""
    which = condition & 1
    src = s.src[which]
    if condition & 2:
        return 0 if turning(s, which) or src.valid[src.matrix_bank] else 1
    return given(s, which, src.unpack_bank)


@kernel
def condition_unmet(s: State, t: int, bit: int) -> int:
    """Whether a thread's STALLWAIT has to keep waiting because of one of its conditions."""
    pipe = s.arch.timing.conditions[bit]
    if pipe == VECTOR_PIPE and settling(s):
        return 1
    if pipe >= 0:
        return 1 if s.cycle.pipe_busy[t, pipe] > s.clock else 0
    if pipe == -1:
        return bank_unmet(s, bit - s.arch.condition_src_a_cleared)
    if pipe == -3:
        for other in range(s.arch.threads):
            if s.cycle.pipe_busy[other, CONFIG_PIPE] > s.clock:
                return 1
    return 0


@kernel
def semaphore_unmet(s: State, t: int) -> int:
    """What a thread's SEMWAIT waits for: semaphore + ZERO_SHIFT or MAX_SHIFT, or NOTHING."""
    wait = s.frontend[t].wait
    for i in range(SEMAPHORES):
        if (wait.semaphore_mask >> i) & 1:
            if wait.condition_mask & 1 and s.semaphore[i].value == 0:
                return ZERO_SHIFT + i
            if wait.condition_mask & 2 and s.semaphore[i].value >= s.semaphore[i].max:
                return MAX_SHIFT + i
    return NOTHING


@kernel
def find_unmet(s: State, t: int) -> int:
    """The first unmet condition of a thread's latched wait, NOTHING if it may be released."""
    wait = s.frontend[t].wait
    if wait.kind == NO_WAIT:
        return NOTHING
    if wait.kind == SEMWAIT:
        return semaphore_unmet(s, t)
    for bit in range(s.arch.condition_bits):
        if (wait.condition_mask >> bit) & 1 and condition_unmet(s, t, bit):
            return bit
    return NOTHING


@kernel
def count_wait(s: State, t: int, source: int) -> int:
    """Count a cycle in which a latched wait held a word back because of ``source``."""
    cycle = s.cycle
    if source >= MAX_SHIFT:
        index = source - MAX_SHIFT
        cycle.wait_semaphore[t, index, 1] = cycle.wait_semaphore[t, index, 1] + 1
    elif source >= ZERO_SHIFT:
        index = source - ZERO_SHIFT
        cycle.wait_semaphore[t, index, 0] = cycle.wait_semaphore[t, index, 0] + 1
    else:
        cycle.wait_unit[t, source] = cycle.wait_unit[t, source] + 1
    return OK
