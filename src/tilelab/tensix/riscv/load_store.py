"""Loads, stores, atomics and fences.

A core reads and writes L1, its local RAM and what ``memory_map`` has. Memory is in program order
here: L0 data caches and store queues, which hardware has, never make a program see other values
than it may see; ``fence`` therefore does nothing.

Sources: RISC-V unprivileged specification; tt-isa-documentation, BabyRISCV/README.md.

Not modelled: accesses narrower than a word to registers, except reading Tensix configuration and
GPRs; atomics outside L1.
"""

from typing import Final

from tilelab.sim.checks import Policy, check, fault, refuse
from tilelab.sim.errors import NonContractualBehaviorError, UnsupportedFunctionalityError
from tilelab.sim.kernel import OK, WORD, kernel
from tilelab.tensix.riscv.dst_window import read_window, write_window
from tilelab.tensix.riscv.memory_map import mmio_read, mmio_write
from tilelab.tensix.riscv.semantics import execute
from tilelab.tensix.state.records import State
from tilelab.tensix.tables.tile_registers import (
    DST_WINDOW,
    DST_WINDOW_END,
    GPRS,
    LOCAL_RAM,
    PAGE,
    TENSIX_CFG,
    TENSIX_CFG_END,
)
from tilelab.tensix.words.origin import BRISC

SIZE_MASK: Final = (0, 0xFF, 0xFFFF, 0, WORD)
"""The bits that an access of 1, 2 or 4 bytes moves."""

MISALIGNED = check(
    "misaligned-access",
    NonContractualBehaviorError,
    "an access to {value:#010x}, which is not a multiple of its size; "
    "hardware rounds the address down",
    page="BabyRISCV/README.md",
    policy=Policy.ERROR,
)
NARROW_REGISTER = check(
    "narrow-register-access",
    UnsupportedFunctionalityError,
    "an access narrower than 32 bits to the register at {value:#010x}",
    page="BabyRISCV/README.md",
    cure="use lw and sw",
)
ATOMIC_OUTSIDE_L1 = check(
    "atomic-outside-l1",
    UnsupportedFunctionalityError,
    "an atomic on {value:#010x}, which is not in L1",
    page="BabyRISCV/README.md",
)


@kernel
def _in_dst_window(s: State, core: int, address: int) -> int:
    if s.arch.dst_window and core < BRISC and DST_WINDOW <= address < DST_WINDOW_END:
        return 1
    return 0


@kernel
def load(s: State, core: int, address: int, size: int) -> tuple[int, int]:
    """Load 1, 2 or 4 bytes: ``(status, value)``, zero-extended."""
    if address & (size - 1) or address >= s.arch.l1_size:
        return load_elsewhere(s, core, address, size)
    if size == 4:
        return OK, s.l1_32[address >> 2]
    if size == 2:
        return OK, s.l1_16[address >> 1]
    return OK, s.l1[address]


@kernel
def load_elsewhere(s: State, core: int, address: int, size: int) -> tuple[int, int]:
    """:func:`load`, of what may not be a word, or its part, of L1."""
    if address & (size - 1):
        if refuse(s, MISALIGNED, address):
            return MISALIGNED, 0
        address &= -size
    shift = 8 * (address & 3)
    if address < s.arch.l1_size:
        return OK, (s.l1_32[address >> 2] >> shift) & SIZE_MASK[size]
    if LOCAL_RAM <= address < LOCAL_RAM + s.arch.local_ram[core]:
        word = s.riscv[core].local_ram[(address - LOCAL_RAM) >> 2]
        return OK, (word >> shift) & SIZE_MASK[size]
    if _in_dst_window(s, core, address):
        return read_window(s, core, address, size)
    if size < 4:
        plain = TENSIX_CFG <= address < TENSIX_CFG_END or GPRS <= address < GPRS + PAGE
        if not plain:
            return fault(s, NARROW_REGISTER, address), 0
    status, word = mmio_read(s, core, address & ~3)
    return status, (word >> shift) & SIZE_MASK[size]


@kernel
def store(s: State, core: int, address: int, size: int, value: int) -> int:
    """Store the low 1, 2 or 4 bytes of a value."""
    if address & (size - 1) or address >= s.arch.l1_size:
        return store_elsewhere(s, core, address, size, value)
    return _store_to_l1(s, address, size, value)


@kernel
def _store_to_l1(s: State, address: int, size: int, value: int) -> int:
    index = address >> 2
    old = s.l1_32[index]
    new = _put(old, address, size, value)
    # A store that changes nothing has no effect, so that a loop with one can be seen to spin.
    if new != old:
        s.l1_32[index] = new
        if s.engine.watch_first <= index <= s.engine.watch_last:
            s.effects += 1
            s.engine.shown = 1
        else:
            s.l1_effects += 1
    return OK


@kernel
def _put(old: int, address: int, size: int, value: int) -> int:
    """A word in which the low bytes of a value are put where they belong."""
    mask, shift = SIZE_MASK[size], 8 * (address & 3)
    return (old & ~(mask << shift)) | (value & mask) << shift


@kernel
def store_elsewhere(s: State, core: int, address: int, size: int, value: int) -> int:
    """:func:`store`, to what may not be a word, or its part, of L1."""
    if address & (size - 1):
        if refuse(s, MISALIGNED, address):
            return MISALIGNED
        address &= -size
        if address < s.arch.l1_size:
            return _store_to_l1(s, address, size, value)
    if LOCAL_RAM <= address < LOCAL_RAM + s.arch.local_ram[core]:
        index = (address - LOCAL_RAM) >> 2
        old = s.riscv[core].local_ram[index]
        new = _put(old, address, size, value)
        if new != old:
            s.riscv[core].local_ram[index] = new
            s.private_effects += 1
        return OK
    value &= SIZE_MASK[size]
    if _in_dst_window(s, core, address):
        return write_window(s, core, address, size, value)
    if size < 4:
        return fault(s, NARROW_REGISTER, address)
    return mmio_write(s, core, address, value)


@execute("lb", "lh", "lw", "lbu", "lhu")
def load_to(s: State, core: int, rd: int, rs1: int, offset: int, size: int, sign: int) -> int:
    """Load into a register; ``sign``: the bit to extend, or 0."""
    status, value = load(s, core, (s.riscv[core].x[rs1] + offset) & WORD, size)
    if status == OK:
        s.riscv[core].x[rd] = ((value ^ sign) - sign) & WORD
    return status


@execute("sb", "sh", "sw")
def store_from(s: State, core: int, rs2: int, rs1: int, offset: int, size: int) -> int:
    """Store a register."""
    hart = s.riscv[core]
    return store(s, core, (hart.x[rs1] + offset) & WORD, size, hart.x[rs2])


@kernel
def load_atomic(s: State, core: int, address: int) -> tuple[int, int]:
    """The load of an atomic: ``(status, value)``; refuses what is not a word of L1."""
    if address >= s.arch.l1_size:
        return fault(s, ATOMIC_OUTSIDE_L1, address), 0
    return load(s, core, address, 4)


@kernel
def store_atomic(s: State, core: int, address: int, value: int) -> int:
    """The store of an atomic, whose load was not refused."""
    return store(s, core, address, 4, value)


@execute("fence", "fence.i")
def fence(s: State, core: int) -> int:
    """Order memory accesses: they are in order already."""
    return OK
