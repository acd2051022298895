"""An Ethernet tile whose link is up: its own registers, and its two cores' reset.

Its cores are in BRISC's and NCRISC's place: the same core, with as much RAM of its own. What a
transmit queue sends is a request like those of the NoC's interfaces, in the same order, of an
interface number of its own: the chip says where it goes.

Source: ``tables/ethernet_registers.py``. A transfer leaves at once, so a queue is never busy, but
under late delivery.
"""

from typing import Final

from tilelab.sim.checks import check, fault
from tilelab.sim.errors import UndefinedBehaviorError, UnimplementedFunctionalityError
from tilelab.sim.kernel import OK, kernel
from tilelab.tensix.noc.niu import INLINE
from tilelab.tensix.noc.niu import WRITE as NOC_WRITE
from tilelab.tensix.state.noc_record import REQUEST_SLOTS
from tilelab.tensix.state.records import State
from tilelab.tensix.tables.ethernet_registers import (
    COMMAND,
    COPY,
    COPY_WORD,
    KEPT,
    KEPT_AT,
    KEPT_FIRST,
    QUEUE_ACCESS,
    QUEUE_BYTES,
    QUEUE_WORDS,
    QUEUES,
    READ,
    RESET_PC,
    SECOND_CORE,
    SIZE,
    START,
    TARGET,
    TRANSMIT_QUEUES,
    WORD,
    WRITE,
)
from tilelab.tensix.words.waits import WAIT_NOC

LINK: Final = 2
"""The interface number of requests that leave over the link."""
NONE: Final = -1

ETHERNET_REGISTER = check(
    "ethernet-register-not-modelled",
    UnimplementedFunctionalityError,
    "the register of an Ethernet tile at {value:#010x} is not modelled, or not for this",
    page="EthernetTile/README.md",
)
COMMANDS = check(
    "ethernet-command",
    UnimplementedFunctionalityError,
    "a transmit queue's command {value}: 2 (bytes) and 4 (a word) are modelled",
    page="EthernetTile/README.md",
)
UNEVEN = check(
    "ethernet-alignment",
    UndefinedBehaviorError,
    "a transfer over Ethernet with {value:#x}: start, size and target are multiples of 16 bytes, "
    "a word's target of 4",
    page="EthernetTile/README.md",
)


@kernel
def begin_ethernet(s: State) -> None:
    """Give a tile's registers what they hold when its link is up."""
    s.noc.ethernet = 1
    for k in range(KEPT):
        s.noc.kept[k] = KEPT_FIRST[k]
    for queue in range(TRANSMIT_QUEUES):
        s.noc.queue[queue, 0] = 1


@kernel
def kept_at(address: int) -> int:
    """The number of a register that only keeps a value, or NONE."""
    for k in range(KEPT):
        if KEPT_AT[k] == address:
            return k
    return NONE


@kernel
def reset_pc_at(address: int) -> int:
    """Of which core (0, 1) an address is the reset pc, or NONE."""
    if address == RESET_PC:
        return 0
    return 1 if address == RESET_PC + SECOND_CORE else NONE


@kernel
def queue_word(address: int) -> int:
    """Which word of the transmit queues an address is, one queue behind the other, or NONE."""
    queue = (address - QUEUES) // QUEUE_BYTES
    word = (address - QUEUES) % QUEUE_BYTES >> 2
    if not 0 <= queue < TRANSMIT_QUEUES or word >= QUEUE_WORDS:
        return NONE
    return queue * QUEUE_WORDS + word


@kernel
def read_ethernet(s: State, address: int) -> tuple[int, int]:
    """Load a word of an Ethernet tile's own registers: ``(status, value)``."""
    word = queue_word(address)
    if word >= 0:
        if not QUEUE_ACCESS[word % QUEUE_WORDS] & READ:
            return fault(s, ETHERNET_REGISTER, address), 0
        if word % QUEUE_WORDS == COMMAND >> 2:
            return OK, busy(s)
        return OK, s.noc.queue[word // QUEUE_WORDS, word % QUEUE_WORDS]
    core = reset_pc_at(address)
    if core >= 0:
        return OK, s.noc.reset_pc[core]
    k = kept_at(address)
    if k >= 0:
        return OK, s.noc.kept[k]
    return fault(s, ETHERNET_REGISTER, address), 0


@kernel
def busy(s: State) -> int:
    """A command that is still under way: a transfer that is kept back (late delivery)."""
    for i in range(s.noc.held):
        if s.noc.request[i].niu == LINK:
            return COPY
    return 0


@kernel
def write_ethernet(s: State, address: int, value: int) -> int:
    """Store a word to an Ethernet tile's own registers."""
    word = queue_word(address)
    core = reset_pc_at(address)
    k = kept_at(address)
    if word >= 0:
        if not QUEUE_ACCESS[word % QUEUE_WORDS] & WRITE:
            return fault(s, ETHERNET_REGISTER, address)
        if word % QUEUE_WORDS == COMMAND >> 2:
            return send(s, word // QUEUE_WORDS, value)
        s.noc.queue[word // QUEUE_WORDS, word % QUEUE_WORDS] = value
    elif core >= 0:
        s.noc.reset_pc[core] = value
    elif k >= 0:
        s.noc.kept[k] = value
    else:
        return fault(s, ETHERNET_REGISTER, address)
    s.effects += 1
    return OK


@kernel
def send(s: State, queue: int, command: int) -> int:
    """Hand a transfer to the chip; waits while that has not taken earlier requests."""
    noc = s.noc
    start = noc.queue[queue, START >> 2]
    size = noc.queue[queue, SIZE >> 2]
    target = noc.queue[queue, TARGET >> 2]
    if command != COPY and command != COPY_WORD:
        return fault(s, COMMANDS, command)
    if command == COPY and (start | size | target) & 15:
        return fault(s, UNEVEN, (start | size | target) & 15)
    if command == COPY_WORD and target & 3:
        return fault(s, UNEVEN, target)
    if noc.requests >= REQUEST_SLOTS:
        return WAIT_NOC
    request = noc.request[noc.requests]
    request.niu = LINK
    request.core = noc.core
    request.pc = noc.pc
    request.control = NOC_WRITE if command == COPY else NOC_WRITE | INLINE
    request.tag = 0
    request.length = size if command == COPY else 4
    request.data = noc.queue[queue, WORD >> 2]
    request.target = start if command == COPY else target
    request.target_at = 0
    request.ret = target
    request.ret_at = 0
    noc.requests += 1
    s.effects += 1
    return OK
