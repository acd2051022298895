"""The part of the address map that every RISC-V core, the NoC and the coprocessor itself reach.

Tile registers, program counter snapshots, the windows onto local RAM, and Config (which the
coprocessor reaches through the mover only).

Source: tt-isa-documentation, BabyRISCV/README.md ("Memory map") and the pages that it names; the
addresses are in ``tables/tile_registers.py``. The NoC's are in
``noc/memory_map.py``. Not modelled: the interrupt controller.
"""

from typing import Final

from tilelab.sim.checks import check, fault
from tilelab.sim.errors import (
    UndefinedBehaviorError,
    UnimplementedFunctionalityError,
    UnsupportedFunctionalityError,
)
from tilelab.sim.kernel import OK, WORD, kernel
from tilelab.tensix.backend.configuration_unit import write_config
from tilelab.tensix.backend.debug_array import read_array
from tilelab.tensix.backend.performance_counters import (
    NO_BANK,
    output_bank,
    read_counter,
    write_counter,
)
from tilelab.tensix.backend.soft_reset import write_soft_reset
from tilelab.tensix.noc.ethernet import read_ethernet, write_ethernet
from tilelab.tensix.noc.memory_map import read_noc, write_noc
from tilelab.tensix.state.records import State
from tilelab.tensix.tables.ethernet_registers import QUEUES, REGISTERS_END
from tilelab.tensix.tables.tile_registers import (
    CFGREG_RD_CNTL,
    CFGREG_RDDATA,
    DBG_ARRAY_RD_DATA,
    DEBUG_REGISTERS,
    INTERRUPT_CONTROLLER,
    LOCAL_RAM_APERTURES,
    LOCAL_RAM_APERTURES_END,
    NOC,
    NOC_END,
    PAGE,
    PC_SNAPSHOTS,
    READ,
    SOFT_RESET_0,
    TDMA_REGISTERS,
    TENSIX_CFG,
    TRISC0_RESET_PC,
    TRISC_RESET_PC_OVERRIDE,
    WALL_CLOCK_H,
    WALL_CLOCK_HIGH_NOW,
    WALL_CLOCK_L,
    WRITE,
)
from tilelab.tensix.words.origin import BRISC, NCRISC

APERTURE_CORES: Final = (BRISC, NCRISC, 0, 1, 2)
"""Whose local RAM each 8 KiB aperture shows: BRISC, NCRISC, TRISC0..2."""
SNAPSHOT_CORES: Final = (BRISC, NCRISC, 0, 1, 2)

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
INTERRUPTS = check(
    "interrupt-controller",
    UnimplementedFunctionalityError,
    "{value:#010x} belongs to the interrupt controller, not modelled",
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


@kernel
def _aperture_core(s: State, address: int) -> int:
    """Whose local RAM an aperture's address shows, or -1."""
    core = APERTURE_CORES[(address - LOCAL_RAM_APERTURES) >> 13]
    offset = (address - LOCAL_RAM_APERTURES) & 0x1FFF
    if not s.arch.local_ram_apertures or core < 0 or offset >= s.arch.local_ram[core]:
        return -1
    return core


@kernel
def _read_debug(s: State, offset: int) -> int:
    """A readable register at ``DEBUG_REGISTERS + offset``."""
    if offset == SOFT_RESET_0:
        value = s.soft_reset
    elif TRISC0_RESET_PC <= offset < TRISC_RESET_PC_OVERRIDE:
        value = s.trisc_reset_pc[(offset - TRISC0_RESET_PC) >> 2]
    elif offset == TRISC_RESET_PC_OVERRIDE:
        value = s.trisc_reset_pc_override
    elif offset == WALL_CLOCK_L:
        value = s.clock & WORD
        s.debug_register[WALL_CLOCK_H >> 2] = s.clock >> 32
        s.private_effects += 1
    elif offset == WALL_CLOCK_HIGH_NOW:
        value = s.clock >> 32
        s.private_effects += 1
    else:
        value = s.debug_register[offset >> 2]
    return value


@kernel
def _write_debug(s: State, offset: int, value: int) -> int:
    """A writable register at ``DEBUG_REGISTERS + offset``."""
    if offset == SOFT_RESET_0:
        code = write_soft_reset(s, value)
        if code != OK:
            return code
    elif TRISC0_RESET_PC <= offset < TRISC_RESET_PC_OVERRIDE:
        s.trisc_reset_pc[(offset - TRISC0_RESET_PC) >> 2] = value
    elif offset == TRISC_RESET_PC_OVERRIDE:
        s.trisc_reset_pc_override = value & 7
    elif offset == WALL_CLOCK_L:
        s.debug_register[WALL_CLOCK_H >> 2] = s.clock >> 32
    elif offset == CFGREG_RD_CNTL:
        status, found = read_config(s, TENSIX_CFG + ((value & 0x7FF) << 2))
        if status != OK:
            return status
        s.debug_register[CFGREG_RDDATA >> 2] = found
        s.debug_register[CFGREG_RD_CNTL >> 2] = value
    elif offset != WALL_CLOCK_HIGH_NOW and offset != WALL_CLOCK_H:
        code = write_counter(s, offset, value)
        if code != OK:
            return code
        s.debug_register[offset >> 2] = value
    s.effects += 1
    return OK


@kernel
def _nothing_there(address: int) -> int:
    """The check for an address at which nothing is modelled."""
    if INTERRUPT_CONTROLLER <= address < PC_SNAPSHOTS:
        return INTERRUPTS
    return UNMAPPED


@kernel
def pc_of(s: State, core: int) -> int:
    """A core's program counter, as the round began if it is left alone (run/polls/polling.py)."""
    pc: int = s.riscv[core].pc
    if s.engine.polling >> core & 1:
        poll = s.poll[core]
        pc = poll.pc[(poll.start + s.clock - poll.since) % poll.length]
    return pc


@kernel
def read_shared(s: State, address: int) -> tuple[int, int]:
    """Load a 32-bit word that everyone reaches: ``(status, value)``."""
    if TDMA_REGISTERS <= address < DEBUG_REGISTERS + PAGE:
        access = s.arch.register_access[(address - TDMA_REGISTERS) >> 2]
        if access & READ:
            if address == DEBUG_REGISTERS + DBG_ARRAY_RD_DATA:
                return read_array(s)
            bank = output_bank(address - DEBUG_REGISTERS)
            if bank != NO_BANK:
                return read_counter(s, bank, address - DEBUG_REGISTERS)
            return OK, _read_debug(s, address - DEBUG_REGISTERS)
        return fault(s, WRITE_ONLY if access else NOT_MODELLED, address), 0
    if LOCAL_RAM_APERTURES <= address < LOCAL_RAM_APERTURES_END:
        if s.noc.ethernet:
            return read_ethernet(s, address)
        core = _aperture_core(s, address)
        if core >= 0:
            return OK, s.riscv[core].local_ram[(address & 0x1FFF) >> 2]
    if PC_SNAPSHOTS <= address < PC_SNAPSHOTS + 20 and s.arch.local_ram_apertures:
        core = SNAPSHOT_CORES[(address - PC_SNAPSHOTS) >> 2]
        if core >= 0:
            s.effects += 1
            return OK, pc_of(s, core)
    if NOC <= address < NOC_END:
        return read_noc(s, address)
    if s.noc.ethernet and QUEUES <= address < REGISTERS_END:
        return read_ethernet(s, address)
    return fault(s, _nothing_there(address), address), 0


@kernel
def write_shared(s: State, address: int, value: int) -> int:
    """Store a 32-bit word that everyone reaches."""
    if TDMA_REGISTERS <= address < DEBUG_REGISTERS + PAGE:
        access = s.arch.register_access[(address - TDMA_REGISTERS) >> 2]
        if not access & WRITE:
            return fault(s, READ_ONLY if access else NOT_MODELLED, address)
        if address < DEBUG_REGISTERS:
            return OK  # the only one there gates clocks
        return _write_debug(s, address - DEBUG_REGISTERS, value)
    if LOCAL_RAM_APERTURES <= address < LOCAL_RAM_APERTURES_END:
        if s.noc.ethernet:
            return write_ethernet(s, address, value)
        core = _aperture_core(s, address)
        if core >= 0:
            s.riscv[core].local_ram[(address & 0x1FFF) >> 2] = value
            s.effects += 1
            s.engine.shown = 1
            return OK
    if PC_SNAPSHOTS <= address < PC_SNAPSHOTS + 20 and s.arch.local_ram_apertures:
        return fault(s, READ_ONLY, address)
    if NOC <= address < NOC_END:
        return write_noc(s, address, value)
    if s.noc.ethernet and QUEUES <= address < REGISTERS_END:
        return write_ethernet(s, address, value)
    return fault(s, _nothing_there(address), address)


# Config: both banks of Config, Blackhole's dual-write copy, then ThreadConfig.


@kernel
def read_config(s: State, address: int) -> tuple[int, int]:
    """Load a word of Config or ThreadConfig: ``(status, value)``."""
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
    if index < s.arch.threads * words:
        return OK, s.thread_config[index // words, index % words]
    return fault(s, UNMAPPED, address), 0


@kernel
def config_store_code(s: State, address: int) -> int:
    """The check that a store to an address of the configuration fails, or OK."""
    index = (address - TENSIX_CFG) >> 2
    copies = 3 if s.arch.config_dual_write else 2
    if index < copies * s.arch.config_words:
        return OK
    index -= copies * s.arch.config_words
    return THREAD_CONFIG_STORE if index < s.arch.threads * s.arch.thread_config_words else UNMAPPED


@kernel
def store_config(s: State, address: int, value: int) -> int:
    """Store a word of Config, with its immediate effects."""
    code = config_store_code(s, address)
    if code != OK:
        return fault(s, code, address)
    index = (address - TENSIX_CFG) >> 2
    words = s.arch.config_words
    s.effects += 1
    if index < 2 * words:
        return write_config(s, index // words, index % words, value)
    status = write_config(s, 0, index % words, value)
    if status == OK:
        status = write_config(s, 1, index % words, value)
    return status
