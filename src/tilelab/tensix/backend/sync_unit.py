"""Sync unit: semaphores, mutexes, and the wait instructions that it hands to the wait gate.

Manual: SyncUnit.md, SEMINIT.md, SEMPOST.md, SEMGET.md, SEMWAIT.md, STALLWAIT.md, ATGETM.md,
ATRELM.md. Not modelled: STREAMWAIT (it waits on NoC streams, which a single tile has none of).
"""

from tilelab.sim.checks import Policy, check, fault, refuse
from tilelab.sim.errors import (
    NonContractualBehaviorError,
    UndefinedBehaviorError,
    UnsupportedFunctionalityError,
)
from tilelab.sim.kernel import OK, kernel
from tilelab.tensix.backend.semantics import BLACKHOLE, BOTH, semantics
from tilelab.tensix.backend.src_registers import SRCS
from tilelab.tensix.backend.vector_unit.load_macro import settling
from tilelab.tensix.state.records import State
from tilelab.tensix.tables.figures import SEMAPHORES
from tilelab.tensix.words.waits import WAIT_MUTEX

VECTOR_BUSY = 6
"""Distance of STALLWAIT's condition on the vector unit from its first one on banks."""

SEMAPHORE_LIMIT = 15
NO_WAIT, STALLWAIT, SEMWAIT = 0, 1, 2
DEFAULT_BLOCK = 1 << 6

SEMINIT_ABOVE_MAX = check(
    "seminit-above-max",
    NonContractualBehaviorError,
    "SEMINIT gives a semaphore the value {value}, above its maximum",
    "SEMINIT.md",
    policy=Policy.WARN,
)
SEMPOST_ABOVE_MAX = check(
    "sempost-above-max",
    NonContractualBehaviorError,
    "SEMPOST on semaphore {value}, which is at its maximum already",
    "SEMPOST.md",
    "wait with SEMWAIT (stall on max) before posting",
    policy=Policy.WARN,
)
SEMGET_AT_ZERO = check(
    "semget-at-zero",
    NonContractualBehaviorError,
    "SEMGET on semaphore {value}, which is 0: nothing is taken",
    "SEMGET.md",
    "wait with SEMWAIT (stall on zero) before getting",
    policy=Policy.WARN,
)
SEMWAIT_NO_CONDITION = check(
    "semwait-no-condition", UndefinedBehaviorError, "SEMWAIT without a condition", "SEMWAIT.md"
)
MUTEX_MISSING = check(
    "mutex-missing",
    UndefinedBehaviorError,
    "mutex {value} does not exist: the thread would wait forever",
    "ATGETM.md",
)
STREAMWAIT_NOT_MODELLED = check(
    "streamwait",
    UnsupportedFunctionalityError,
    "STREAMWAIT waits on a NoC stream, which is not modelled",
    "STREAMWAIT.md",
)


@kernel
def post(s: State, index: int) -> int:
    """Increment a semaphore; it saturates at 15, whatever its maximum."""
    semaphore = s.semaphore[index]
    if semaphore.value >= semaphore.max and refuse(s, SEMPOST_ABOVE_MAX, index):
        return SEMPOST_ABOVE_MAX
    if semaphore.value < SEMAPHORE_LIMIT:
        semaphore.value += 1
    return OK


@kernel
def get(s: State, index: int) -> int:
    """Decrement a semaphore; 0 stays 0."""
    semaphore = s.semaphore[index]
    if semaphore.value == 0 and refuse(s, SEMGET_AT_ZERO, index):
        return SEMGET_AT_ZERO
    if semaphore.value > 0:
        semaphore.value -= 1
    return OK


@semantics("SEMINIT", BOTH)
def seminit(s: State, t: int, max_value: int, init_value: int, sem_sel: int) -> int:
    """Set value and maximum of the selected semaphores."""
    if init_value > max_value and refuse(s, SEMINIT_ABOVE_MAX, init_value):
        return SEMINIT_ABOVE_MAX
    for i in range(SEMAPHORES):
        if (sem_sel >> i) & 1:
            s.semaphore[i].value = init_value
            s.semaphore[i].max = max_value
    return OK


@semantics("SEMPOST", BOTH)
def sempost(s: State, t: int, sem_sel: int) -> int:
    """Increment the selected semaphores."""
    for i in range(SEMAPHORES):
        if (sem_sel >> i) & 1 and s.semaphore[i].value >= s.semaphore[i].max:
            if s.fault.policy[SEMPOST_ABOVE_MAX] == Policy.ERROR:
                return fault(s, SEMPOST_ABOVE_MAX, i)
    for i in range(SEMAPHORES):
        if (sem_sel >> i) & 1:
            post(s, i)
    return OK


@semantics("SEMGET", BOTH)
def semget(s: State, t: int, sem_sel: int) -> int:
    """Decrement the selected semaphores."""
    for i in range(SEMAPHORES):
        if (sem_sel >> i) & 1 and s.semaphore[i].value == 0:
            if s.fault.policy[SEMGET_AT_ZERO] == Policy.ERROR:
                return fault(s, SEMGET_AT_ZERO, i)
    for i in range(SEMAPHORES):
        if (sem_sel >> i) & 1:
            get(s, i)
    return OK


@semantics("SEMWAIT", BOTH)
def semwait(s: State, t: int, stall_res: int, sem_sel: int, wait_sem_cond: int) -> int:
    """Latch a wait on semaphores at the thread's wait gate."""
    if wait_sem_cond == 0:
        return fault(s, SEMWAIT_NO_CONDITION, 0)
    wait = s.frontend[t].wait
    wait.kind = SEMWAIT
    wait.block_mask = stall_res if stall_res else DEFAULT_BLOCK
    wait.condition_mask = wait_sem_cond
    wait.semaphore_mask = sem_sel
    return OK


@semantics("STALLWAIT", BOTH)
def stallwait(s: State, t: int, stall_res: int, wait_res: int) -> int:
    """Latch a wait on units and banks at the thread's wait gate."""
    wait = s.frontend[t].wait
    wait.kind = STALLWAIT
    wait.block_mask = stall_res if stall_res else DEFAULT_BLOCK
    wait.condition_mask = wait_res if wait_res else s.arch.default_condition_mask
    wait.semaphore_mask = 0
    return OK


@semantics("STREAMWAIT", BLACKHOLE)
def streamwait(
    s: State, t: int, stall_res: int, target_value: int, target_sel: int, wait_stream_sel: int
) -> int:
    """Latch a wait on a NoC stream (STREAMWAIT.md): refused."""
    return fault(s, STREAMWAIT_NOT_MODELLED, wait_stream_sel)


@semantics("ATGETM", BOTH)
def atgetm(s: State, t: int, mutex_index: int) -> int:
    """Acquire a mutex, waiting while another thread holds it."""
    if mutex_index > 7 or not (s.arch.mutexes >> mutex_index) & 1:
        return fault(s, MUTEX_MISSING, mutex_index)
    holder = s.mutex[mutex_index]
    if holder != 0 and holder != t + 1:
        return WAIT_MUTEX
    s.mutex[mutex_index] = t + 1
    return OK


@semantics("ATRELM", BOTH)
def atrelm(s: State, t: int, mutex_index: int) -> int:
    """Release a mutex if this thread holds it."""
    if mutex_index > 7 or not (s.arch.mutexes >> mutex_index) & 1:
        return fault(s, MUTEX_MISSING, mutex_index)
    if s.mutex[mutex_index] == t + 1:
        s.mutex[mutex_index] = 0
    return OK


@kernel
def keeps_waiting(s: State, t: int) -> int:
    """Whether the thread's latched wait instruction still has an unmet condition.

    Instructions complete when they are issued, so conditions about pipelines are always met, save
    the vector unit's while SFPLOADMACRO has something under way; those about bank ownership and
    semaphores are evaluated.
    """
    wait = s.frontend[t].wait
    mask = wait.condition_mask
    if wait.kind == SEMWAIT:
        for i in range(SEMAPHORES):
            if (wait.semaphore_mask >> i) & 1:
                if mask & 1 and s.semaphore[i].value == 0:
                    return 1
                if mask & 2 and s.semaphore[i].value >= s.semaphore[i].max:
                    return 1
        return 0
    mask >>= s.arch.condition_src_a_cleared
    if mask >> VECTOR_BUSY & 1 and settling(s):
        return 1
    for which in SRCS:
        src = s.src[which]
        if mask >> which & 1 and src.valid[src.unpack_bank]:
            return 1
        if mask >> which & 4 and not src.valid[src.matrix_bank]:
            return 1
    return 0
