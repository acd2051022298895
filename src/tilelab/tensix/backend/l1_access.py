"""L1 as the unpackers and packers see it: runs of data of 2 to 32 bits, checked as a whole.

Source: tt-isa-documentation, UNPACR_Regular.md (ReadL1Bytes) and L1.md.
"""

from tilelab.sim.checks import check, fault
from tilelab.sim.errors import UndefinedBehaviorError
from tilelab.sim.kernel import OK, kernel
from tilelab.tensix.state.records import State

L1_BOUNDS = check(
    "l1-bounds",
    UndefinedBehaviorError,
    "L1 address {value:#x} is beyond the end of L1",
    page="L1.md",
    cure="check the base address and the tile size that the unpacker or packer is configured with",
)


@kernel
def l1_check(s: State, first: int, end: int) -> int:
    """Check that the bytes ``first`` to ``end`` (not included) are in L1: OK or L1_BOUNDS."""
    if first < 0 or end > s.arch.l1_size:
        return fault(s, L1_BOUNDS, end - 1 if first >= 0 else first)
    return OK


@kernel
def l1_room(s: State, first: int, end: int) -> int:
    """:func:`l1_check` of bytes that will be written: who polls them is to look again."""
    if end > s.engine.watch_first << 2 and first >> 2 <= s.engine.watch_last:
        s.engine.shown = 1
    return l1_check(s, first, end)


@kernel
def l1_read_run(s: State, bit_address: int, bits: int, count: int) -> None:
    """Read ``count`` consecutive data of ``bits`` bits each to ``scratch_32``; returns 0.

    The address is of bits, and a multiple of ``bits``.
    """
    if bits == 32:
        at = bit_address >> 5
        for i in range(count):
            s.scratch_32[i] = s.l1_32[at + i]
    elif bits == 16:
        at = bit_address >> 4
        for i in range(count):
            s.scratch_32[i] = s.l1_16[at + i]
    elif bits == 8:
        at = bit_address >> 3
        for i in range(count):
            s.scratch_32[i] = s.l1[at + i]
    else:
        mask = (1 << bits) - 1
        for i in range(count):
            byte = s.l1[bit_address + i * bits >> 3]
            s.scratch_32[i] = byte >> (bit_address + i * bits & 7) & mask


@kernel
def l1_write_run(s: State, address: int, bits: int, first: int, count: int) -> None:
    """Write ``count`` data of ``bits`` bits each from ``scratch_32[first…]``; returns 0.

    The byte address is a multiple of the datum's size; ``count`` data fill whole bytes.
    """
    if bits == 32:
        at = address >> 2
        for i in range(count):
            s.l1_32[at + i] = s.scratch_32[first + i]
    elif bits == 16:
        at = address >> 1
        for i in range(count):
            s.l1_16[at + i] = s.scratch_32[first + i] & 0xFFFF
    elif bits == 8:
        for i in range(count):
            s.l1[address + i] = s.scratch_32[first + i] & 0xFF
    else:
        per_byte = 8 // bits
        mask = (1 << bits) - 1
        for i in range(count // per_byte):
            byte = 0
            for j in range(per_byte):
                byte |= (s.scratch_32[first + i * per_byte + j] & mask) << (j * bits)
            s.l1[address + i] = byte


@kernel
def l1_zero(s: State, first: int, end: int) -> None:
    """Set the bytes ``first`` to ``end`` (not included) to zero; returns 0."""
    for address in range(first, end):
        s.l1[address] = 0
