"""What the checker notes of what a kernel may leave behind (``left.py`` looks at the end)."""

from typing import Final

from tilelab.check.accesses import note
from tilelab.check.shadow import ACT
from tilelab.check.view import Checking
from tilelab.check.watch import Watch
from tilelab.sim.checks import Policy
from tilelab.sim.errors import NonContractualBehaviorError
from tilelab.sim.kernel import OK, kernel
from tilelab.tensix.backend import sync_unit
from tilelab.tensix.backend.unpackers import banks
from tilelab.tensix.tables.figures import SEMAPHORES

WATCH = Watch("what a kernel leaves")

WATCH.field("semaphore_began", "u1", (SEMAPHORES,))
# who filled each bank of SrcA and SrcB last, who took each mutex last
WATCH.field("given", ACT, (2, 2))
WATCH.field("mutex", ACT, (8,))

SEMAPHORE_LEFT: Final = WATCH.rule(
    "semaphore-left",
    NonContractualBehaviorError,
    "the program ends with {where}",
    "",
    "SyncUnit.md",
    "as many posts as gets: a kernel that does not initialise it finds what this one leaves",
    policy=Policy.WARN,
)
BANK_LEFT: Final = WATCH.rule(
    "src-bank-left",
    NonContractualBehaviorError,
    "the program ends with {where}",
    "",
    "SrcASrcB.md",
    "use and release as many banks as are unpacked (SETRWC, CLEARDVALID): the kernel that follows "
    "computes with what is left",
)
MUTEX_LEFT: Final = WATCH.rule(
    "mutex-left",
    NonContractualBehaviorError,
    "the program ends with {where}",
    "",
    "ATRELM.md",
    "ATRELM on every way out: who asks next waits for ever",
)


@WATCH.at(sync_unit.seminit)
@kernel
def initialises(s: Checking, t: int, max_value: int, init_value: int, sem_sel: int) -> None:
    """Semaphores are initialised."""
    for i in range(SEMAPHORES):
        if sem_sel >> i & 1:
            s.shadow.semaphore_began[i] = init_value


@WATCH.at(banks.give_src)
@kernel
def gives_bank(s: Checking, t: int, unpacker: int, data_format: int) -> int:
    """An unpacker's bank goes to the matrix unit, filled."""
    note(s, s.shadow.given[unpacker][s.src[unpacker].unpack_bank])
    return OK


@WATCH.at(sync_unit.atgetm)
@kernel
def takes_mutex(s: Checking, t: int, mutex_index: int) -> int:
    """A thread asks for a mutex."""
    note(s, s.shadow.mutex[mutex_index & 7])
    return OK
