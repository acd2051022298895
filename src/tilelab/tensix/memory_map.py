"""What loads and stores reach outside L1 and a core's own RAM, and the host's view of it.

Source: tt-isa-documentation, BabyRISCV/README.md ("Memory map") and the pages that it names; the
addresses are in ``tables/tile_registers.py``.

Not modelled: the FIFOs from BRISC to the TRISCs (PCBufs), the NoC, its overlay and the interrupt
controller, the Mover's command interface.
"""

from typing import Any, Final

from tilelab.sim.checks import check, fault
from tilelab.sim.errors import (
    UndefinedBehaviorError,
    UnimplementedFunctionalityError,
    UnsupportedFunctionalityError,
)
from tilelab.sim.kernel import OK, kernel
from tilelab.tensix.backend.configuration_unit import write_config
from tilelab.tensix.backend.sync_unit import SEMAPHORES as SEMAPHORE_COUNT
from tilelab.tensix.backend.sync_unit import get, post
from tilelab.tensix.frontend.fifo import in_flight, mop_pending
from tilelab.tensix.frontend.mop_expander import write_mop_cfg
from tilelab.tensix.frontend.origin import BRISC
from tilelab.tensix.riscv.mailboxes import mailbox_has_value, read_mailbox, write_mailbox
from tilelab.tensix.riscv.push_instruction import push_from
from tilelab.tensix.riscv.reset import write_soft_reset
from tilelab.tensix.state import THREADS
from tilelab.tensix.tables.tile_registers import (
    CFGREG_RD_CNTL,
    CFGREG_RDDATA,
    DEBUG_REGISTERS,
    GPRS,
    INSTRN_BUF,
    INSTRN_BUF_END,
    LOCAL_RAM_APERTURES,
    LOCAL_RAM_APERTURES_END,
    MAILBOXES,
    MAILBOXES_END,
    MOP_CFG,
    MOP_SYNC,
    PAGE,
    PC_BUF,
    PC_BUF_END,
    PC_SNAPSHOTS,
    READ,
    SEMAPHORES,
    SOFT_RESET_0,
    TDMA_REGISTERS,
    TENSIX_CFG,
    TENSIX_CFG_END,
    TENSIX_SYNC,
    TRISC0_RESET_PC,
    TRISC_RESET_PC_OVERRIDE,
    WALL_CLOCK_H,
    WALL_CLOCK_HIGH_NOW,
    WALL_CLOCK_L,
    WRITE,
)
from tilelab.tensix.waits import WAIT_MOP_SYNC, WAIT_TENSIX_SYNC

WORD: Final = 0xFFFFFFFF
MOP_CFG_WORDS: Final = 9
GPR_COUNT: Final = 64
APERTURE_CORES: Final = (BRISC, -1, 0, 1, 2)
"""Whose local RAM each 8 KiB aperture shows: BRISC, NCRISC (not modelled), TRISC0..2."""
SNAPSHOT_CORES: Final = (BRISC, -1, 0, 1, 2)

UNMAPPED = check(
    "unmapped-address",
    UndefinedBehaviorError,
    "nothing is mapped at {value:#010x} for this core; hardware hangs there",
    page="BabyRISCV/README.md",
)
NOT_MODELLED = check(
    "tile-register-not-modelled",
    UnimplementedFunctionalityError,
    "the tile register at {value:#010x} is not modelled",
    page="BabyRISCV/README.md",
)
WRITE_ONLY = check(
    "write-only-address",
    UndefinedBehaviorError,
    "{value:#010x} can only be written",
    page="BabyRISCV/README.md",
)
READ_ONLY = check(
    "read-only-address",
    UndefinedBehaviorError,
    "{value:#010x} can only be read",
    page="BabyRISCV/README.md",
)
THREAD_CONFIG_STORE = check(
    "thread-config-store",
    UndefinedBehaviorError,
    "ThreadConfig, at {value:#010x}, cannot be stored to",
    page="BackendConfiguration.md",
    cure="push a SETC16",
)
DUAL_WRITE_READ = check(
    "config-dual-write-read",
    UnsupportedFunctionalityError,
    "{value:#010x} is ConfigDualWrite, which is not to be read",
    page="BackendConfiguration.md",
    cure="read either bank",
)
PC_BUF_FIFO = check(
    "pc-buf-fifo",
    UnimplementedFunctionalityError,
    "the FIFO from BRISC to a TRISC at {value:#010x} is not modelled",
    page="BabyRISCV/PCBufs.md",
)
MISALIGNED_REGISTER = check(
    "host-misaligned",
    UndefinedBehaviorError,
    "{value:#010x} is not the address of a 32-bit register",
    page="BabyRISCV/README.md",
)

# What every core and the host (NoC) reach: tile registers, pc snapshots, local RAM apertures.


@kernel
def _aperture_core(s: Any, address: int) -> int:
    """Whose local RAM an aperture's address shows, or -1."""
    core: int = APERTURE_CORES[(address - LOCAL_RAM_APERTURES) >> 13]
    offset = (address - LOCAL_RAM_APERTURES) & 0x1FFF
    if not s.arch.local_ram_apertures or core < 0 or offset >= s.arch.local_ram[core]:
        return -1
    return core


@kernel
def _read_debug(s: Any, offset: int) -> int:
    """A readable register at ``DEBUG_REGISTERS + offset``."""
    if offset == SOFT_RESET_0:
        value: int = s.soft_reset
    elif TRISC0_RESET_PC <= offset < TRISC_RESET_PC_OVERRIDE:
        value = s.trisc_reset_pc[(offset - TRISC0_RESET_PC) >> 2]
    elif offset == TRISC_RESET_PC_OVERRIDE:
        value = s.trisc_reset_pc_override
    elif offset == WALL_CLOCK_L:
        value = s.clock & WORD
        s.debug_register[WALL_CLOCK_H >> 2] = s.clock >> 32
        s.effects = s.effects + 1
    elif offset == WALL_CLOCK_HIGH_NOW:
        value = s.clock >> 32
        s.effects = s.effects + 1
    else:
        value = s.debug_register[offset >> 2]
    return value


@kernel
def _write_debug(s: Any, offset: int, value: int) -> int:
    """A writable register at ``DEBUG_REGISTERS + offset``."""
    s.effects = s.effects + 1
    if offset == SOFT_RESET_0:
        return write_soft_reset(s, value)
    if TRISC0_RESET_PC <= offset < TRISC_RESET_PC_OVERRIDE:
        s.trisc_reset_pc[(offset - TRISC0_RESET_PC) >> 2] = value
    elif offset == TRISC_RESET_PC_OVERRIDE:
        s.trisc_reset_pc_override = value & 7
    elif offset == WALL_CLOCK_L:
        s.debug_register[WALL_CLOCK_H >> 2] = s.clock >> 32
    elif offset == CFGREG_RD_CNTL:
        status, found = _read_config(s, TENSIX_CFG + ((value & 0x7FF) << 2))
        if status != OK:
            return status
        s.debug_register[CFGREG_RDDATA >> 2] = found
    elif offset != WALL_CLOCK_HIGH_NOW and offset != WALL_CLOCK_H:
        s.debug_register[offset >> 2] = value
    return OK


@kernel
def _read_shared(s: Any, address: int) -> tuple[int, int]:
    if TDMA_REGISTERS <= address < DEBUG_REGISTERS + PAGE:
        access = s.arch.register_access[(address - TDMA_REGISTERS) >> 2]
        if access & READ:
            return OK, _read_debug(s, address - DEBUG_REGISTERS)
        return fault(s, WRITE_ONLY if access else NOT_MODELLED, address), 0
    if LOCAL_RAM_APERTURES <= address < LOCAL_RAM_APERTURES_END:
        core = _aperture_core(s, address)
        if core >= 0:
            return OK, s.riscv[core].local_ram[(address & 0x1FFF) >> 2]
    if PC_SNAPSHOTS <= address < PC_SNAPSHOTS + 20 and s.arch.local_ram_apertures:
        core = SNAPSHOT_CORES[(address - PC_SNAPSHOTS) >> 2]
        if core >= 0:
            s.effects = s.effects + 1
            return OK, s.riscv[core].pc
    return fault(s, UNMAPPED, address), 0


@kernel
def _write_shared(s: Any, address: int, value: int) -> int:
    if TDMA_REGISTERS <= address < DEBUG_REGISTERS + PAGE:
        access = s.arch.register_access[(address - TDMA_REGISTERS) >> 2]
        if not access & WRITE:
            return fault(s, READ_ONLY if access else NOT_MODELLED, address)
        if address < DEBUG_REGISTERS:
            return OK  # the only one there gates clocks
        return _write_debug(s, address - DEBUG_REGISTERS, value)
    if LOCAL_RAM_APERTURES <= address < LOCAL_RAM_APERTURES_END:
        core = _aperture_core(s, address)
        if core >= 0:
            s.riscv[core].local_ram[(address & 0x1FFF) >> 2] = value
            s.effects = s.effects + 1
            return OK
    if PC_SNAPSHOTS <= address < PC_SNAPSHOTS + 20 and s.arch.local_ram_apertures:
        return fault(s, READ_ONLY, address)
    return fault(s, UNMAPPED, address)


# Configuration: both banks of Config, Blackhole's dual-write copy, then ThreadConfig.


@kernel
def _read_config(s: Any, address: int) -> tuple[int, int]:
    index = (address - TENSIX_CFG) >> 2
    words = s.arch.config_words
    if index < 2 * words:
        return OK, s.config[index // words, index % words]
    index -= 2 * words
    if s.arch.config_dual_write:
        if index < words:
            return fault(s, DUAL_WRITE_READ, address), 0
        index -= words
    words = s.arch.thread_config_words
    if index < THREADS * words:
        return OK, s.thread_config[index // words, index % words]
    return fault(s, UNMAPPED, address), 0


@kernel
def _store_config(s: Any, address: int, value: int) -> int:
    index = (address - TENSIX_CFG) >> 2
    words = s.arch.config_words
    copies = 3 if s.arch.config_dual_write else 2
    if index >= copies * words + THREADS * s.arch.thread_config_words:
        return fault(s, UNMAPPED, address)
    if index >= copies * words:
        return fault(s, THREAD_CONFIG_STORE, address)
    s.effects = s.effects + 1
    if index < 2 * words:
        status: int = write_config(s, index // words, index % words, value)
        return status
    status = write_config(s, 0, index % words, value)
    if status == OK:
        status = write_config(s, 1, index % words, value)
    return status


# PCBuf addresses: TTSync and semaphores for the TRISCs.


@kernel
def _read_pc_buf(s: Any, core: int, address: int) -> tuple[int, int]:
    offset = address - PC_BUF
    if core == BRISC or offset == 0:
        return fault(s, PC_BUF_FIFO, address), 0
    if offset == TENSIX_SYNC:
        return WAIT_TENSIX_SYNC if in_flight(s, core) else OK, 0
    if offset == MOP_SYNC:
        return WAIT_MOP_SYNC if mop_pending(s, core) else OK, 0
    if SEMAPHORES <= offset < SEMAPHORES + 4 * SEMAPHORE_COUNT:
        return OK, s.semaphore[(offset - SEMAPHORES) >> 2].value
    return fault(s, UNMAPPED, address), 0


@kernel
def _write_pc_buf(s: Any, core: int, address: int, value: int) -> int:
    offset = address - PC_BUF
    if core == BRISC:
        return fault(s, PC_BUF_FIFO, address)
    if offset == 0 or offset == TENSIX_SYNC or offset == MOP_SYNC:
        return OK  # discarded: only the load waits
    if SEMAPHORES <= offset < SEMAPHORES + 4 * SEMAPHORE_COUNT:
        s.effects = s.effects + 1
        index = (offset - SEMAPHORES) >> 2
        status: int = get(s, index) if value & 1 else post(s, index)
        return status
    return fault(s, UNMAPPED, address)


@kernel
def _gpr_index(s: Any, core: int, address: int) -> int:
    """Which of all GPRs a core reaches at an address, or -1: BRISC sees all, a TRISC its own."""
    index = (address - GPRS) >> 2
    if core == BRISC:
        return index if index < THREADS * GPR_COUNT else -1
    return core * GPR_COUNT + index if index < GPR_COUNT else -1


@kernel
def mmio_read(s: Any, core: int, address: int) -> tuple[int, int]:
    """Load a word: ``(status, value)``. The address is a multiple of 4 outside L1 and own RAM."""
    if PC_BUF <= address < PC_BUF_END:
        return _read_pc_buf(s, core, address)
    if TENSIX_CFG <= address < TENSIX_CFG_END:
        return _read_config(s, address)
    if GPRS <= address < GPRS + PAGE:
        index = _gpr_index(s, core, address)
        if index >= 0:
            return OK, s.gpr[index // GPR_COUNT, index % GPR_COUNT]
    if MAILBOXES <= address < MAILBOXES_END:
        instance = (address - MAILBOXES) >> 12
        if address & 4:
            return OK, mailbox_has_value(s, core, instance)
        return read_mailbox(s, core, instance)
    if MOP_CFG <= address < MOP_CFG + 4 * MOP_CFG_WORDS and core != BRISC:
        return fault(s, WRITE_ONLY, address), 0
    if INSTRN_BUF <= address < INSTRN_BUF_END:
        return fault(s, WRITE_ONLY, address), 0
    return _read_shared(s, address)


@kernel
def mmio_write(s: Any, core: int, address: int, value: int) -> int:
    """Store a word. The address is a multiple of 4 outside L1 and own RAM."""
    if INSTRN_BUF <= address < INSTRN_BUF_END:
        return push_from(s, core, (address - INSTRN_BUF) >> 16, value)
    if MOP_CFG <= address < MOP_CFG + 4 * MOP_CFG_WORDS and core != BRISC:
        s.effects = s.effects + 1
        return write_mop_cfg(s, core, (address - MOP_CFG) >> 2, value)
    if PC_BUF <= address < PC_BUF_END:
        return _write_pc_buf(s, core, address, value)
    if TENSIX_CFG <= address < TENSIX_CFG_END:
        return _store_config(s, address, value)
    if GPRS <= address < GPRS + PAGE:
        index = _gpr_index(s, core, address)
        if index >= 0:
            s.gpr[index // GPR_COUNT, index % GPR_COUNT] = value
            s.effects = s.effects + 1
            return OK
    if MAILBOXES <= address < MAILBOXES_END:
        return write_mailbox(s, core, (address - MAILBOXES) >> 12, value)
    return _write_shared(s, address, value)


@kernel
def host_read(s: Any, address: int) -> tuple[int, int]:
    """Load a 32-bit tile register or a word of L1, as the NoC does: ``(status, value)``."""
    if address & 3:
        return fault(s, MISALIGNED_REGISTER, address), 0
    if 0 <= address < s.arch.l1_size:
        return OK, s.l1_32[address >> 2]
    return _read_shared(s, address)


@kernel
def host_write(s: Any, address: int, value: int) -> int:
    """Store a 32-bit tile register or a word of L1, as the NoC does."""
    if address & 3:
        return fault(s, MISALIGNED_REGISTER, address)
    if 0 <= address < s.arch.l1_size:
        s.l1_32[address >> 2] = value
        return OK
    return _write_shared(s, address, value)
