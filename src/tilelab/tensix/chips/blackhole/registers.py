"""The tile's control registers of Blackhole: those that every chip has, and these."""

from tilelab.tensix.tables.tile_registers import (
    CLOCK_GATING,
    COMMON_REGISTERS,
    DEBUG_REGISTERS,
    DISABLE_RESET,
    NCRISC_RESET_PC,
    NCRISC_RESET_PC_OVERRIDE,
    TRISC_RESET_PC_OVERRIDE,
    Access,
    TileRegister,
)

_RW = Access.READ_WRITE

# fmt: off
REGISTERS = (
    *COMMON_REGISTERS,
    TileRegister("RISCV_DEBUG_REG_DISABLE_RESET", DEBUG_REGISTERS + DISABLE_RESET, _RW, "which local RAMs keep their contents through reset", "SoftReset.md"),
    TileRegister("RISCV_DEBUG_REG_TRISC0_RESET_PC", DEBUG_REGISTERS + 0x228, _RW, "where TRISC0 starts", "SoftReset.md"),
    TileRegister("RISCV_DEBUG_REG_TRISC1_RESET_PC", DEBUG_REGISTERS + 0x22C, _RW, "where TRISC1 starts", "SoftReset.md"),
    TileRegister("RISCV_DEBUG_REG_TRISC2_RESET_PC", DEBUG_REGISTERS + 0x230, _RW, "where TRISC2 starts", "SoftReset.md"),
    TileRegister("RISCV_DEBUG_REG_TRISC_RESET_PC_OVERRIDE", DEBUG_REGISTERS + TRISC_RESET_PC_OVERRIDE, _RW, "which of those count", "SoftReset.md"),
    TileRegister("RISCV_DEBUG_REG_NCRISC_RESET_PC", DEBUG_REGISTERS + NCRISC_RESET_PC, _RW, "where NCRISC starts", "SoftReset.md"),
    TileRegister("RISCV_DEBUG_REG_NCRISC_RESET_PC_OVERRIDE", DEBUG_REGISTERS + NCRISC_RESET_PC_OVERRIDE, _RW, "whether that counts", "SoftReset.md"),
    TileRegister("RISCV_DEBUG_REG_DEST_CG_CTRL", DEBUG_REGISTERS + 0x240, _RW, CLOCK_GATING, "ttsim"),
    TileRegister("RISCV_DEBUG_REG_CG_CTRL_EN", DEBUG_REGISTERS + 0x244, _RW, CLOCK_GATING, "ttsim"),
    TileRegister("RISCV_DEBUG_REG_CG_KICK", DEBUG_REGISTERS + 0x248, _RW, CLOCK_GATING, "ttsim"),
)
# fmt: on
