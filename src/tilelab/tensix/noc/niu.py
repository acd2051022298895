"""The registers of a tile's two NoC interfaces (NIUs), and how a request begins.

A store to NOC_CMD_CTRL copies the initiator's registers to ``s.noc.request``, from where the
network takes it between two rounds; the chip's ``network.py`` says what happens then, ``itself.py``
for a tile by itself. The command register reads 0 at once: the initiator is free again.

Sources: tt-isa-documentation, NoC/MemoryMap.md, NoC/Counters.md. Not modelled: interrupts,
security fences, debug information, request FIFOs, splitting of requests over 16 KiB, the router's
configuration (kept values; coordinates are translated as the chip's description says).
"""

from typing import Final

from tilelab.sim.checks import check, fault
from tilelab.sim.errors import UndefinedBehaviorError, UnimplementedFunctionalityError
from tilelab.sim.kernel import OK, kernel
from tilelab.tensix.noc.streams import noted
from tilelab.tensix.state.noc_record import REQUEST_SLOTS
from tilelab.tensix.state.records import Request, State
from tilelab.tensix.tables.noc_registers import (
    CLEAR_OUTSTANDING,
    CONFIG,
    CONFIG_WORDS,
    COUNTER_WORDS,
    COUNTERS,
    INITIATORS,
)
from tilelab.tensix.words.waits import WAIT_NOC

TARGET_LO, TARGET_MID, TARGET_HI = 0x00 >> 2, 0x04 >> 2, 0x08 >> 2
RETURN_LO, RETURN_MID, RETURN_HI = 0x0C >> 2, 0x10 >> 2, 0x14 >> 2
PACKET_TAG, CONTROL, LENGTH = 0x18 >> 2, 0x1C >> 2, 0x20 >> 2
"""Words of a request initiator that are at the same place on both chips."""
READ, ATOMIC, WRITE = 0, 1, 2
"""Request types, bits 1..0 of NOC_CTRL."""
BYTE_ENABLES: Final = 1 << 2
INLINE: Final = 1 << 3
RESPONSE: Final = 1 << 4
BROADCAST: Final = 1 << 5
INCLUDE_SELF: Final = 1 << 17
"""Flags of NOC_CTRL."""
COORDINATES: Final = 0xFFFFFF
MAX_LENGTH: Final = 16384

# Numbers of counters.
ATOMIC_RESPONSES, WRITE_ACKS, READ_RESPONSES, READ_DATA_WORDS = 0, 1, 2, 3
ACCEPTED, READS_SENT, ATOMICS_SENT, POSTED_ATOMICS_SENT = 4, 5, 6, 7
WRITES_SENT, POSTED_WRITES_SENT, WRITES_STARTED, POSTED_WRITES_STARTED = 10, 11, 12, 13
READS_STARTED, ATOMICS_STARTED = 14, 15
OUTSTANDING, OUTGOING = 16, 32

NIU_REGISTER = check(
    "niu-register-not-modelled",
    UnimplementedFunctionalityError,
    "the register of a NoC interface at {value:#010x} is not modelled",
    page="NoC/MemoryMap.md",
)
REQUEST_KIND = check(
    "noc-request-kind",
    UndefinedBehaviorError,
    "NOC_CTRL {value:#x} has the reserved request type 3",
    page="NoC/MemoryMap.md",
)
REQUEST_LENGTH = check(
    "noc-request-length",
    UnimplementedFunctionalityError,
    "a NoC request of {value} bytes: 1 to 16384 are modelled",
    page="NoC/Counters.md",
    cure="split it",
)


@kernel
def count(s: State, niu: int, counter: int, step: int) -> int:
    """Move a counter; those of outstanding requests have 8 bits."""
    mask = 0xFF if OUTSTANDING <= counter < OUTGOING + 16 else 0xFFFFFFFF
    s.noc.counter[niu, counter] = (s.noc.counter[niu, counter] + step) & mask
    return OK


@kernel
def transaction(tag: int) -> int:
    """NOC_PACKET_TRANSACTION_ID of a tag."""
    return (tag >> 10) & 15


@kernel
def coordinates(s: State, niu: int, mid: int, hi: int) -> int:
    """The coordinates of a target: x | y << 6; from bit 12 on where a broadcast starts."""
    shift = s.arch.noc.coordinate_shift
    return (mid >> shift if shift else hi) & COORDINATES


@kernel
def full_address(s: State, lo: int, mid: int) -> int:
    """The 64-bit address (Wormhole: 36 bits) of a target."""
    shift = s.arch.noc.coordinate_shift
    if shift:
        mid &= (1 << shift) - 1
    return lo | mid << 32


@kernel
def count_started(s: State, niu: int, control: int, tag: int) -> int:
    """What counts as soon as a request is initiated."""
    kind = control & 3
    count(s, niu, ACCEPTED, 1)
    if kind == READ or control & RESPONSE:
        count(s, niu, OUTSTANDING + transaction(tag), 1)
    if kind == READ:
        return count(s, niu, READS_STARTED, 1)
    if kind == ATOMIC:
        return count(s, niu, ATOMICS_STARTED, 1) if control & RESPONSE else OK
    if not control & INLINE:
        count(s, niu, OUTGOING + transaction(tag), 1)
    return count(s, niu, WRITES_STARTED if control & RESPONSE else POSTED_WRITES_STARTED, 1)


@kernel
def count_write(s: State, r: Request, acks: int) -> int:
    """Count a write that has arrived at so many places."""
    if not r.control & INLINE:
        count(s, r.niu, OUTGOING + transaction(r.tag), -1)
    if not r.control & RESPONSE:
        return count(s, r.niu, POSTED_WRITES_SENT, 1)
    return count_answered(s, r, WRITES_SENT, WRITE_ACKS, acks)


@kernel
def count_answered(s: State, r: Request, sent: int, answers: int, reached: int) -> int:
    """Count a request as sent, and its answers from so many places."""
    count(s, r.niu, sent, 1)
    return count_back(s, r, answers, reached)


@kernel
def count_back(s: State, r: Request, answers: int, reached: int) -> int:
    """Count a request's answers from so many places."""
    count(s, r.niu, answers, reached)
    return count(s, r.niu, OUTSTANDING + transaction(r.tag), -reached)


@kernel
def count_left(s: State, r: Request) -> int:
    """Count a request as sent, where its answers come later."""
    kind = r.control & 3
    if kind == READ:
        return count(s, r.niu, READS_SENT, 1)
    if kind == ATOMIC:
        return count(s, r.niu, ATOMICS_SENT if r.control & RESPONSE else POSTED_ATOMICS_SENT, 1)
    if not r.control & INLINE:
        count(s, r.niu, OUTGOING + transaction(r.tag), -1)
    return count(s, r.niu, WRITES_SENT if r.control & RESPONSE else POSTED_WRITES_SENT, 1)


@kernel
def initiate(s: State, niu: int, i: int) -> int:
    """Hand an initiator's request to the network; waits while that has not taken earlier ones."""
    noc = s.noc
    control = noc.initiator[niu, i, CONTROL]
    length = noc.initiator[niu, i, LENGTH]
    if control & 3 == 3:
        return fault(s, REQUEST_KIND, control)
    plain = control & 3 == READ or (control & 3 == WRITE and not control & (BYTE_ENABLES | INLINE))
    if plain and (length == 0 or length > MAX_LENGTH):
        return fault(s, REQUEST_LENGTH, length)
    if noc.requests >= REQUEST_SLOTS:
        return WAIT_NOC
    mid = noc.initiator[niu, i, TARGET_MID]
    back = noc.initiator[niu, i, RETURN_MID]
    request = noc.request[noc.requests]
    request.niu = niu
    request.initiator = i
    request.core = noc.core
    request.pc = noc.pc
    request.control = control
    request.tag = noc.initiator[niu, i, PACKET_TAG]
    request.length = length
    request.data = noc.initiator[niu, i, s.arch.noc.data >> 2]
    request.target = full_address(s, noc.initiator[niu, i, TARGET_LO], mid)
    request.target_at = coordinates(s, niu, mid, noc.initiator[niu, i, TARGET_HI])
    request.ret = full_address(s, noc.initiator[niu, i, RETURN_LO], back)
    request.ret_at = coordinates(s, niu, back, noc.initiator[niu, i, RETURN_HI])
    noc.requests += 1
    count_started(s, niu, control, request.tag)
    s.effects += 1
    s.engine.shown = 1
    return OK


@kernel
def read_niu(s: State, niu: int, offset: int, address: int) -> tuple[int, int]:
    """Load a register of an interface: ``(status, value)``."""
    if CONFIG <= offset < CONFIG + 4 * CONFIG_WORDS:
        return OK, s.noc.config[niu, (offset - CONFIG) >> 2]
    if COUNTERS <= offset < COUNTERS + 4 * COUNTER_WORDS:
        return OK, s.noc.counter[niu, (offset - COUNTERS) >> 2]
    if offset < INITIATORS * s.arch.noc.stride:
        place = offset % s.arch.noc.stride
        if place <= s.arch.noc.go:
            return OK, s.noc.initiator[niu, offset // s.arch.noc.stride, place >> 2]
        if place == s.arch.noc.node_id:
            return OK, s.noc.node_id[niu]
    return fault(s, NIU_REGISTER, address), 0


@kernel
def write_niu(s: State, niu: int, offset: int, address: int, value: int) -> int:
    """Store to a register of an interface."""
    if CONFIG <= offset < CONFIG + 4 * CONFIG_WORDS:
        s.noc.config[niu, (offset - CONFIG) >> 2] = value
        return noted(s)
    if offset == CLEAR_OUTSTANDING:
        for i in range(16):
            if value >> i & 1:
                s.noc.counter[niu, OUTSTANDING + i] = 0
        return noted(s)
    if offset < INITIATORS * s.arch.noc.stride and offset % s.arch.noc.stride <= s.arch.noc.go:
        i = offset // s.arch.noc.stride
        place = offset % s.arch.noc.stride
        if place == s.arch.noc.go:
            return initiate(s, niu, i) if value & 1 else OK
        s.noc.initiator[niu, i, place >> 2] = value
        return noted(s)
    return fault(s, NIU_REGISTER, address)
