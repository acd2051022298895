"""The tile's address map as the RISC-V cores see it, and its control registers, as data.

Sources: tt-isa-documentation, BabyRISCV/README.md ("Memory map"), SoftReset.md,
DebugTimestamper.md, TileControlDebugStatus.md; ttsim's register map for the names of the rest.

Not modelled: every register of the two register regions that has no row here; above all the
timestamp streams and PCBuf overrides. What only a host reaches is in
``riscv/host.py``.
"""

from collections.abc import Iterable
from enum import IntFlag
from typing import Final, NamedTuple

from tilelab.tensix.tables.performance_counters import CONTROLS, MUX, OUTPUTS, START_ALL, Bank

KIB = 1024

LOCAL_RAM: Final = 0xFFB00000
TDMA_REGISTERS: Final = 0xFFB11000
DEBUG_REGISTERS: Final = 0xFFB12000
INTERRUPT_CONTROLLER: Final = 0xFFB13000
PC_SNAPSHOTS: Final = 0xFFB13138
LOCAL_RAM_APERTURES: Final = 0xFFB14000
LOCAL_RAM_APERTURES_END: Final = 0xFFB1E000
NOC: Final = 0xFFB20000
"""Both NoC interfaces, then the overlay."""
STREAMS: Final = 0xFFB40000
NOC_END: Final = 0xFFB80000
MOP_CFG: Final = 0xFFB80000
DST_WINDOW: Final = 0xFFBD8000
DST_WINDOW_END: Final = 0xFFBE0000
GPRS: Final = 0xFFE00000
INSTRN_BUF: Final = 0xFFE40000
INSTRN_BUF_END: Final = 0xFFE70000
PC_BUF: Final = 0xFFE80000
PC_BUF_END: Final = 0xFFEB0000
MAILBOXES: Final = 0xFFEC0000
MAILBOXES_END: Final = 0xFFEC4000
TENSIX_CFG: Final = 0xFFEF0000
TENSIX_CFG_END: Final = 0xFFF00000
IRAM: Final = 0xFFC00000
"""NCRISC's instruction RAM, where it has one."""
PAGE: Final = 0x1000
"""Bytes of each register region that has no END of its own."""

# Offsets within PC_BUF, as a TRISC sees it (ManualTTSync.md, SyncUnit.md).
TENSIX_SYNC: Final = 0x04
MOP_SYNC: Final = 0x08
SEMAPHORES: Final = 0x20

# Offsets within DEBUG_REGISTERS of the registers that do more than keep a value.
CFGREG_RD_CNTL: Final = 0x058
DBG_ARRAY_RD_EN: Final = 0x060
DBG_ARRAY_RD_CMD: Final = 0x064
DBG_ARRAY_RD_DATA: Final = 0x06C
CFGREG_RDDATA: Final = 0x078
SOFT_RESET_0: Final = 0x1B0
WALL_CLOCK_L: Final = 0x1F0
WALL_CLOCK_HIGH_NOW: Final = 0x1F4
WALL_CLOCK_H: Final = 0x1F8
DISABLE_RESET: Final = 0x224
TRISC0_RESET_PC: Final = 0x228
TRISC_RESET_PC_OVERRIDE: Final = 0x234
NCRISC_RESET_PC: Final = 0x238
NCRISC_RESET_PC_OVERRIDE: Final = 0x23C


class Access(IntFlag):
    """What a program may do with a register; 0: nothing, tilelab does not model it."""

    READ = 1
    WRITE = 2
    READ_WRITE = 3


READ, WRITE = int(Access.READ), int(Access.WRITE)


class TileRegister(NamedTuple):
    """One 32-bit register: its address, who may do what, what tilelab makes of it."""

    name: str
    address: int
    access: Access
    meaning: str
    source: str


CLOCK_GATING = "clock gating: a kept value, no effect on results"
COUNTERS = "tt-llk hardware_reference.md"
CYCLES = "cycles that the bank has counted"
COUNT = "cycles in which the selected signal was high"
_RW, _R, _W = Access.READ_WRITE, Access.READ, Access.WRITE


def _counters() -> list[TileRegister]:
    """The registers of the performance counters."""
    found = []
    for bank in Bank:
        name = f"RISCV_DEBUG_REG_PERF_CNT_{bank.name}"
        name += "_" if bank == Bank.L1 else ""
        control, output = DEBUG_REGISTERS + CONTROLS[bank], DEBUG_REGISTERS + OUTPUTS[bank]
        out = "DBG_L1" if bank == Bank.L1 else bank.name
        found += [
            TileRegister(f"{name}0", control, _RW, "reference period: a kept value", COUNTERS),
            TileRegister(f"{name}1", control + 4, _RW, "which count OUT_H shows", COUNTERS),
            TileRegister(f"{name}2", control + 8, _RW, "starts and stops the bank", COUNTERS),
            TileRegister(f"RISCV_DEBUG_REG_PERF_CNT_OUT_L_{out}", output, _R, CYCLES, COUNTERS),
            TileRegister(f"RISCV_DEBUG_REG_PERF_CNT_OUT_H_{out}", output + 4, _R, COUNT, COUNTERS),
        ]
    return found


# fmt: off
COMMON_REGISTERS = (
    *_counters(),
    TileRegister("RISCV_DEBUG_REG_PERF_CNT_ALL", DEBUG_REGISTERS + START_ALL, _RW, "starts and stops FPU and INSTRN_THREAD", COUNTERS),
    TileRegister("RISCV_DEBUG_REG_PERF_CNT_MUX_CTRL", DEBUG_REGISTERS + MUX, _RW, "which ports of L1 are counted", COUNTERS),
    TileRegister("RISCV_TDMA_REG_CLK_GATE_EN", TDMA_REGISTERS + 0x24, _W, CLOCK_GATING, "ttsim"),
    TileRegister("RISCV_DEBUG_REG_CFGREG_RD_CNTL", DEBUG_REGISTERS + CFGREG_RD_CNTL, _RW, "a write copies a configuration word to CFGREG_RDDATA", "BackendConfiguration.md"),
    TileRegister("RISCV_DEBUG_REG_DBG_ARRAY_RD_EN", DEBUG_REGISTERS + DBG_ARRAY_RD_EN, _RW, "whether DBG_ARRAY_RD_DATA shows anything", "tt-llk"),
    TileRegister("RISCV_DEBUG_REG_DBG_ARRAY_RD_CMD", DEBUG_REGISTERS + DBG_ARRAY_RD_CMD, _RW, "which pair of data of Dst DBG_ARRAY_RD_DATA shows", "tt-llk"),
    TileRegister("RISCV_DEBUG_REG_DBG_ARRAY_RD_DATA", DEBUG_REGISTERS + DBG_ARRAY_RD_DATA, _R, "two data of Dst, as it holds them", "tt-llk"),
    TileRegister("RISCV_DEBUG_REG_DBG_FEATURE_DISABLE", DEBUG_REGISTERS + 0x068, _RW, "bit 11: Dst16b is the upper half of Dst32b", "Dst.md"),
    TileRegister("RISCV_DEBUG_REG_CG_CTRL_HYST0", DEBUG_REGISTERS + 0x070, _RW, CLOCK_GATING, "ttsim"),
    TileRegister("RISCV_DEBUG_REG_CG_CTRL_HYST1", DEBUG_REGISTERS + 0x074, _RW, CLOCK_GATING, "ttsim"),
    TileRegister("RISCV_DEBUG_REG_CFGREG_RDDATA", DEBUG_REGISTERS + CFGREG_RDDATA, _R, "the word that CFGREG_RD_CNTL asked for", "BackendConfiguration.md"),
    TileRegister("RISCV_DEBUG_REG_CG_CTRL_HYST2", DEBUG_REGISTERS + 0x07C, _RW, CLOCK_GATING, "ttsim"),
    TileRegister("RISCV_DEBUG_REG_FPU_STICKY_BITS", DEBUG_REGISTERS + 0x0B4, _RW, "a kept value: the FPU's exceptions are not modelled", "ttsim"),
    TileRegister("RISCV_DEBUG_REG_SOFT_RESET_0", DEBUG_REGISTERS + SOFT_RESET_0, _RW, "holds cores in reset", "SoftReset.md"),
    TileRegister("RISCV_DEBUG_REG_WALL_CLOCK_L", DEBUG_REGISTERS + WALL_CLOCK_L, _RW, "low half of the clock; latches the high half", "DebugTimestamper.md"),
    TileRegister("RISCV_DEBUG_REG_WALL_CLOCK_1", DEBUG_REGISTERS + WALL_CLOCK_HIGH_NOW, _RW, "high half of the clock", "DebugTimestamper.md"),
    TileRegister("RISCV_DEBUG_REG_WALL_CLOCK_H", DEBUG_REGISTERS + WALL_CLOCK_H, _RW, "high half as WALL_CLOCK_L latched it", "DebugTimestamper.md"),
)
# fmt: on
"""The registers that every chip has."""


def register_access(registers: Iterable[TileRegister]) -> tuple[int, ...]:
    """Access to each word from TDMA_REGISTERS to the end of DEBUG_REGISTERS, 0 if not modelled."""
    access = [0] * (2 * PAGE // 4)
    for register in registers:
        access[(register.address - TDMA_REGISTERS) >> 2] = int(register.access)
    return tuple(access)
