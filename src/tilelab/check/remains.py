"""What the checker notes of what a kernel may leave behind (``ended.py`` looks at the end)."""

from typing import Final

from tilelab.check.shadow import ACT
from tilelab.check.watch import Watch
from tilelab.sim.checks import Policy
from tilelab.sim.errors import NonContractualBehaviorError

WATCH = Watch("what a kernel leaves")
MAILERS: Final = 4
"""Cores that have mailboxes."""

# who filled each bank of SrcA and SrcB last, who took each mutex last, who wrote
# each mailbox last (edges.py notes them)
WATCH.field("given", ACT, (2, 2))
WATCH.field("mutex", ACT, (8,))
WATCH.field("lanes_on", ACT)  # the vector unit's last word that began with all lanes on
WATCH.field("mailed", ACT, (MAILERS, MAILERS))  # to whom, by whom


def _left(name: str, page: str, cure: str, policy: Policy = Policy.ERROR) -> int:
    """Declare a check of what is left at the end."""
    category, message = NonContractualBehaviorError, "the program ends with {where}"
    return WATCH.rule(name, category, message, "", page, cure, policy=policy)


SEMAPHORE_LEFT: Final = _left(
    "semaphore-left",
    "SyncUnit.md",
    "as many posts as gets: a kernel that does not initialise it finds what this one leaves",
    Policy.WARN,
)
BANK_LEFT: Final = _left(
    "src-bank-left",
    "SrcASrcB.md",
    "use and release as many banks as are unpacked (SETRWC, CLEARDVALID): the kernel that follows "
    "computes with what is left",
)
MUTEX_LEFT: Final = _left(
    "mutex-left", "ATRELM.md", "ATRELM on every way out: who asks next waits for ever"
)
MAILBOX_LEFT: Final = _left(
    "mailbox-left",
    "Mailboxes.md",
    "read as many values as are written: the kernel that follows reads what is left",
)
LANES_LEFT: Final = _left(
    "lanes-left",
    "SFPENCC.md",
    "SFPENCC with immediate 3 and modifier 10, and as many SFPPOPC as SFPPUSHC: kernels begin with "
    "all lanes on",
)
