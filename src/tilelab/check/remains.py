"""What the checker notes of what a kernel may leave behind (``left.py`` looks at the end)."""

from typing import Final

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
WATCH.field("given_mark", "<u8", (2, 2))
WATCH.field("given_word", "<u4", (2, 2))
WATCH.field("given_origin", "<u8", (2, 2))
WATCH.field("mutex_mark", "<u8", (8,))
WATCH.field("mutex_word", "<u4", (8,))
WATCH.field("mutex_origin", "<u8", (8,))

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
    c = s.shadow
    bank = s.src[unpacker].unpack_bank
    c.given_mark[unpacker, bank] = c.mark
    c.given_word[unpacker, bank] = c.word
    c.given_origin[unpacker, bank] = c.origin
    return OK


@WATCH.at(sync_unit.atgetm)
@kernel
def takes_mutex(s: Checking, t: int, mutex_index: int) -> int:
    """A thread asks for a mutex."""
    c = s.shadow
    i = mutex_index & 7
    c.mutex_mark[i] = c.mark
    c.mutex_word[i] = c.word
    c.mutex_origin[i] = c.origin
    return OK
