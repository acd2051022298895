"""Soft reset: what happens to a core when its bit of RISCV_DEBUG_REG_SOFT_RESET_0 changes.

Source: tt-isa-documentation, SoftReset.md of both chips.

Not modelled: resets of the backend units (bits 0..10, 15..17, 19..23); NCRISC (bit 18) of a tile
without a NoC for it to serve: the bit is accepted and starts nothing.
"""

from typing import Final

from tilelab.sim.checks import check, fault2
from tilelab.sim.errors import UnimplementedFunctionalityError
from tilelab.sim.fifo import clear
from tilelab.sim.kernel import OK, kernel
from tilelab.tensix.backend.mailboxes import discard_written
from tilelab.tensix.state.records import State
from tilelab.tensix.tables.cores import FIXED_RESET_PC
from tilelab.tensix.tables.ethernet_registers import STACK
from tilelab.tensix.tables.tile_registers import (
    DEBUG_REGISTERS,
    DISABLE_RESET,
    NCRISC_RESET_PC,
    NCRISC_RESET_PC_OVERRIDE,
    SOFT_RESET_0,
)
from tilelab.tensix.words.origin import BRISC, NCRISC

CORE_BITS: Final = (12, 13, 14, 11, 18)
"""Bit of SOFT_RESET_0 that holds each core: TRISC0..2, BRISC, NCRISC."""
RESET_BITS: Final = sum(1 << bit for bit in CORE_BITS)
"""Bits that are modelled: the cores'."""
IGNORED_BIT: Final = 0x80000000
"""Bit 31 does nothing, and the vendor's driver sets it."""
CFG0_AT_RESET: Final = 16 << 13
"""CSR cfg0: all zero but StMergeTimer (CSRs.md)."""

ETHERNET_CORES: Final = (BRISC, NCRISC)
"""An Ethernet tile's cores are in these places; its bits 11 and 12 hold them."""

UNIT_RESET = check(
    "soft-reset-unit",
    UnimplementedFunctionalityError,
    "{value2:#x} at {value:#010x} (soft reset) resets backend units, which is not modelled",
    page="SoftReset.md",
    cure="change bits 11 to 14 and 18 only",
)


@kernel
def ncrisc_reset_pc(s: State, pc: int) -> int:
    """Where NCRISC starts, if not at its fixed place."""
    base = s.arch.reset_pc_config
    if base:
        if s.config[0, base + 5] & 1:
            pc = s.config[0, base + 4]
    elif s.debug_register[NCRISC_RESET_PC_OVERRIDE >> 2] & 1:
        pc = s.debug_register[NCRISC_RESET_PC >> 2]
    return pc


@kernel
def reset_pc(s: State, core: int) -> int:
    """Where a core starts."""
    if core == BRISC:
        return 0
    pc: int = FIXED_RESET_PC[core]
    if core == NCRISC:
        return ncrisc_reset_pc(s, pc)
    if s.arch.reset_pc_config:
        if (s.config[0, s.arch.reset_pc_config + 3] >> core) & 1:
            pc = s.config[0, s.arch.reset_pc_config + core]
    elif (s.trisc_reset_pc_override >> core) & 1:
        pc = s.trisc_reset_pc[core]
    return pc


@kernel
def enter_reset(s: State, core: int) -> None:
    """Stop a core; what it pushed and nothing has expanded yet is lost, as is what it mailed."""
    s.riscv[core].running = 0
    s.engine.shown = 1
    s.riscv[core].debug.halted = 0
    s.riscv[core].debug.stepping = 0
    s.riscv[core].debug.status = 0
    discard_written(s, core)
    if core < BRISC:
        frontend = s.frontend[core]
        clear(frontend.input_fifo)
        frontend.mop_active = 0


@kernel
def leave_reset(s: State, core: int) -> None:
    """Start a core at its reset pc with registers and (Blackhole) local RAM zeroed."""
    hart = s.riscv[core]
    for i in range(32):
        hart.x[i] = 0
    keep = (s.debug_register[DISABLE_RESET >> 2] >> (2 * core)) & 1
    if s.arch.reset_clears_local_ram and not keep:
        for i in range(s.arch.local_ram[core] >> 2):
            hart.local_ram[i] = 0
    hart.cfg0 = CFG0_AT_RESET
    s.cycle.cold[core] = 1  # SoftReset.md: instruction cache and branches are forgotten
    hart.pc = reset_pc(s, core)
    hart.running = 1


@kernel
def reset_ethernet(s: State, value: int) -> int:
    """Write SOFT_RESET_0 of an Ethernet tile: a core starts if it is told where."""
    value &= s.arch.layout.ethernet.reset_bits
    for number in range(2):
        core = ETHERNET_CORES[number]
        if value >> 11 + number & 1:
            if s.riscv[core].running:
                enter_reset(s, core)
        elif not s.riscv[core].running and s.noc.reset_pc[number]:
            leave_reset(s, core)
            s.riscv[core].pc = s.noc.reset_pc[number]
            s.riscv[core].x[2] = STACK
    s.soft_reset = value
    return OK


@kernel
def write_soft_reset(s: State, value: int) -> int:
    """Write SOFT_RESET_0: hold cores whose bit is set, start those whose bit is cleared."""
    if s.noc.ethernet:
        return reset_ethernet(s, value)
    value &= ~IGNORED_BIT
    if value & ~RESET_BITS:
        return fault2(s, UNIT_RESET, DEBUG_REGISTERS + SOFT_RESET_0, value)
    for core in range(s.arch.cores):
        before = (s.soft_reset >> CORE_BITS[core]) & 1
        now = (value >> CORE_BITS[core]) & 1
        if now and not before:
            enter_reset(s, core)
        if before and not now and (core != NCRISC or s.noc.connected):
            leave_reset(s, core)
    s.soft_reset = value
    return OK
