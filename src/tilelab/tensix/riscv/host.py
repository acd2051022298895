"""What reaches a tile over the NoC: L1, the shared registers, the cores' debug hardware.

Source: tt-isa-documentation, BabyRISCV/README.md ("Memory map"), TileControlDebugStatus.md.
"""

from tilelab.sim.checks import check, fault
from tilelab.sim.errors import UndefinedBehaviorError
from tilelab.sim.kernel import OK, kernel
from tilelab.tensix.backend.register_map import read_shared, write_shared
from tilelab.tensix.riscv.debug_hardware import CNTL_0, CNTL_1, STATUS_1, write_control
from tilelab.tensix.state.records import State
from tilelab.tensix.tables.tile_registers import DEBUG_REGISTERS

MISALIGNED_REGISTER = check(
    "host-misaligned",
    UndefinedBehaviorError,
    "{value:#010x} is not the address of a 32-bit register",
    page="BabyRISCV/README.md",
)


@kernel
def host_read(s: State, address: int) -> tuple[int, int]:
    """Load a 32-bit tile register or a word of L1, as the NoC does: ``(status, value)``."""
    if address & 3:
        return fault(s, MISALIGNED_REGISTER, address), 0
    if 0 <= address < s.arch.l1_size:
        return OK, s.l1_32[address >> 2]
    if CNTL_0 <= address <= STATUS_1:
        return OK, s.debug_register[(address - DEBUG_REGISTERS) >> 2]
    return read_shared(s, address)


@kernel
def host_write(s: State, address: int, value: int) -> int:
    """Store a 32-bit tile register or a word of L1, as the NoC does."""
    if address & 3:
        return fault(s, MISALIGNED_REGISTER, address)
    if 0 <= address < s.arch.l1_size:
        s.l1_32[address >> 2] = value
        return OK
    if address == CNTL_0 or address == CNTL_1:
        s.debug_register[(address - DEBUG_REGISTERS) >> 2] = value
        return write_control(s, value) if address == CNTL_0 else OK
    return write_shared(s, address, value)
