"""Mailboxes: a FIFO of four words from each core to each core.

Source: tt-isa-documentation, Mailboxes.md. A core's mailbox number i is BRISC's for 0 and
TRISC(i-1)'s otherwise: where it writes to, and where what it reads comes from.

Not modelled: the buffers in which a write beyond the fourth value may sit; here the core waits.
"""

from typing import Final

from tilelab.sim.fifo import clear, pop, push
from tilelab.sim.kernel import OK, kernel
from tilelab.tensix.state.records import State
from tilelab.tensix.words.waits import WAIT_MAILBOX

CAPACITY: Final = 4
"""Values in one mailbox, and also in all mailboxes together that one core writes."""


@kernel
def partner(instance: int) -> int:
    """The core at the other end of mailbox number ``instance`` (0..3)."""
    return (instance + 3) & 3


@kernel
def write_mailbox(s: State, core: int, instance: int, value: int) -> int:
    """Append a value to the mailbox from ``core`` to the partner; waits while there is no room."""
    held = 0
    for to in range(s.arch.cores):
        held += s.mailbox[to][core].count
    if held >= CAPACITY:
        return WAIT_MAILBOX
    push(s.mailbox[partner(instance)][core], value)
    s.effects += 1
    return OK


@kernel
def read_mailbox(s: State, core: int, instance: int) -> tuple[int, int]:
    """Take the oldest value from the partner: ``(status, value)``; waits while there is none."""
    box = s.mailbox[core][partner(instance)]
    if box.count == 0:
        return WAIT_MAILBOX, 0
    value = pop(box)
    s.effects += 1
    return OK, value


@kernel
def mailbox_has_value(s: State, core: int, instance: int) -> int:
    """1 if a read would not wait."""
    return 1 if s.mailbox[core][partner(instance)].count else 0


@kernel
def discard_written(s: State, core: int) -> None:
    """Empty every mailbox that the core writes, as its soft reset does."""
    for to in range(s.arch.cores):
        clear(s.mailbox[to][core])
