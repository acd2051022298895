"""What a host reaches of a tile, over the NoC: L1, the shared registers, the debug hardware.

Of the debug bus only the signals are modelled that show where a core is: its program counter, as
the vendor's tools read it.

Sources: tt-isa-documentation, BabyRISCV/README.md ("Memory map"), TileControlDebugStatus.md;
tt-exalens, functional_worker_debug_bus_signals.py.
"""

from typing import Final

from tilelab.sim.checks import check, fault
from tilelab.sim.errors import UndefinedBehaviorError, UnimplementedFunctionalityError
from tilelab.sim.kernel import OK, kernel
from tilelab.tensix.backend.register_map import read_shared, write_shared
from tilelab.tensix.riscv.debug_hardware import (
    CNTL_0,
    CNTL_1,
    CORE_COUNT,
    CORES,
    STATUS_1,
    write_control,
)
from tilelab.tensix.state.records import State
from tilelab.tensix.tables.tile_registers import DEBUG_REGISTERS

BUS_CONTROL: Final = DEBUG_REGISTERS + 0x54
BUS_DATA: Final = DEBUG_REGISTERS + 0x5C
BUS_ENABLE: Final = 1 << 29
CORES_DAISY: Final = 7
FIRST_CORE_SIGNAL: Final = 5
"""The cores' signals come in pairs, BRISC's first."""
PC_MASKS: Final = (0x7FFFFFFF, 0x3FFFFFFF)
"""How much of a core's program counter its first and second signal show; in the first one's
quarter 0, in the second one's quarter 1."""

MISALIGNED_REGISTER = check(
    "host-misaligned",
    UndefinedBehaviorError,
    "{value:#010x} is not the address of a 32-bit register",
    page="BabyRISCV/README.md",
)
DEBUG_BUS = check(
    "debug-bus-signal",
    UnimplementedFunctionalityError,
    "the debug bus's signal that {value:#010x} selects is not modelled",
    page="TileControlDebugStatus.md",
)


@kernel
def host_read(s: State, address: int) -> tuple[int, int]:
    """Load a 32-bit tile register or a word of L1, as the NoC does: ``(status, value)``."""
    if address & 3:
        return fault(s, MISALIGNED_REGISTER, address), 0
    if 0 <= address < s.arch.l1_size:
        return OK, s.l1_32[address >> 2]
    if CNTL_0 <= address <= STATUS_1 or address == BUS_CONTROL:
        return OK, s.debug_register[(address - DEBUG_REGISTERS) >> 2]
    if address == BUS_DATA:
        return _bus_data(s)
    return read_shared(s, address)


@kernel
def host_write(s: State, address: int, value: int) -> int:
    """Store a 32-bit tile register or a word of L1, as the NoC does."""
    if address & 3:
        return fault(s, MISALIGNED_REGISTER, address)
    if 0 <= address < s.arch.l1_size:
        s.l1_32[address >> 2] = value
        return OK
    if address in (CNTL_0, CNTL_1, BUS_CONTROL):
        s.debug_register[(address - DEBUG_REGISTERS) >> 2] = value
        return write_control(s, value) if address == CNTL_0 else OK
    return write_shared(s, address, value)


@kernel
def _bus_data(s: State) -> tuple[int, int]:
    """What the debug bus shows: ``(status, value)``."""
    selected = s.debug_register[(BUS_CONTROL - DEBUG_REGISTERS) >> 2]
    if not selected & BUS_ENABLE:
        return OK, 0
    signal = selected & 0xFFFF
    quarter = selected >> 25 & 0xF
    pair = (signal >> 1) - FIRST_CORE_SIGNAL
    shown = selected >> 16 & 0xFF == CORES_DAISY and quarter == signal & 1
    if not shown or not 0 <= pair < CORE_COUNT:
        return fault(s, DEBUG_BUS, selected), 0
    return OK, s.riscv[CORES[pair]].pc & PC_MASKS[quarter]
