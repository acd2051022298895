"""What a host reaches of a tile, over the NoC: L1, the shared registers, the debug hardware.

Sources: tt-isa-documentation, BabyRISCV/README.md ("Memory map"), TileControlDebugStatus.md.
"""

from typing import Final

from tilelab.sim.checks import check, fault
from tilelab.sim.errors import UndefinedBehaviorError, UnimplementedFunctionalityError
from tilelab.sim.kernel import OK
from tilelab.tensix.backend.register_map import read_shared, write_shared
from tilelab.tensix.riscv import debug_bus, debug_push
from tilelab.tensix.riscv.debug_hardware import CNTL_0, CNTL_1, STATUS_1, write_control
from tilelab.tensix.state.records import State
from tilelab.tensix.tables.tile_registers import DEBUG_REGISTERS

KEPT: Final = (
    CNTL_1,
    debug_bus.L1_FIRST,
    debug_bus.L1_LAST,
    debug_bus.CONTROL,
    debug_push.CTRL1,
)
"""Registers of the debug hardware that only keep what is written."""
READ_BACK: Final = (*KEPT, debug_bus.L1_MODE, debug_push.CTRL0)

MISALIGNED_REGISTER = check(
    "host-misaligned",
    UndefinedBehaviorError,
    "{value:#010x} is not the address of a 32-bit register",
    page="BabyRISCV/README.md",
)
SAMPLING = check(
    "debug-bus-regular",
    UnimplementedFunctionalityError,
    "{value:#x} asks for samples of the debug bus at intervals: a tile by itself takes them",
    page="DebugDaisychain.md",
)


def host_read(s: State, address: int) -> tuple[int, int]:
    """Load a 32-bit tile register or a word of L1, as the NoC does: ``(status, value)``."""
    if address & 3:
        return fault(s, MISALIGNED_REGISTER, address), 0
    if 0 <= address < s.arch.l1_size:
        return OK, s.l1_32[address >> 2]
    if CNTL_0 <= address <= STATUS_1 or address in READ_BACK:
        return OK, s.debug_register[(address - DEBUG_REGISTERS) >> 2]
    if address == debug_bus.DATA:
        return debug_bus.read_data(s)
    if address == debug_push.STATUS:
        return OK, debug_push.read_status(s)
    return read_shared(s, address)


def host_write(s: State, address: int, value: int) -> int:
    """Store a 32-bit tile register or a word of L1, as the NoC does."""
    if address & 3:
        return fault(s, MISALIGNED_REGISTER, address)
    if 0 <= address < s.arch.l1_size:
        s.l1_32[address >> 2] = value
        return OK
    if address == CNTL_0 or address in KEPT:
        s.debug_register[(address - DEBUG_REGISTERS) >> 2] = value
        return write_control(s, value) if address == CNTL_0 else OK
    if address == debug_push.CTRL0:
        return debug_push.write_control(s, value)
    if address == debug_bus.L1_MODE:
        if debug_bus.regular_samples(s, value)[0]:
            return fault(s, SAMPLING, value)
        return debug_bus.write_mode(s, value)
    return write_shared(s, address, value)
