"""What a host's tools reach of a tile: all that the NoC does, the debug bus, words pushed by hand.

These registers are a tile's own. They are worked out from tables, in Python, so another tile of a
chip does not reach them.

Source: tt-isa-documentation, DebugDaisychain.md, PushTensixInstruction.md.
"""

from typing import Final

from tilelab.sim.checks import check, fault
from tilelab.sim.errors import UnimplementedFunctionalityError
from tilelab.sim.kernel import OK
from tilelab.tensix.riscv import debug_bus, debug_push
from tilelab.tensix.riscv.host import host_read, host_write
from tilelab.tensix.state.records import State
from tilelab.tensix.tables.tile_registers import DEBUG_REGISTERS

KEPT: Final = (
    *(debug_bus.L1_FIRST, debug_bus.L1_LAST, debug_bus.CONTROL),
    debug_push.CTRL1,
)
"""Registers that only keep what is written."""
READ_BACK: Final = (*KEPT, debug_bus.L1_MODE, debug_push.CTRL0)
TOOLS: Final = frozenset((*READ_BACK, debug_bus.DATA, debug_push.STATUS))
"""The registers that only these functions reach."""

SAMPLING = check(
    "debug-bus-regular",
    UnimplementedFunctionalityError,
    "{value:#x} asks for samples of the debug bus at intervals: a tile by itself takes them",
    page="DebugDaisychain.md",
)


def tool_read(s: State, address: int) -> tuple[int, int]:
    """Load a 32-bit tile register or a word of L1: ``(status, value)``."""
    if address in READ_BACK:
        return OK, s.debug_register[(address - DEBUG_REGISTERS) >> 2]
    if address == debug_bus.DATA:
        return debug_bus.read_data(s)
    if address == debug_push.STATUS:
        return OK, debug_push.read_status(s)
    return host_read(s, address)


def tool_write(s: State, address: int, value: int) -> int:
    """Store a 32-bit tile register or a word of L1."""
    if address in KEPT:
        s.debug_register[(address - DEBUG_REGISTERS) >> 2] = value
        return OK
    if address == debug_push.CTRL0:
        return debug_push.write_control(s, value)
    if address == debug_bus.L1_MODE:
        if debug_bus.regular_samples(s, value)[0]:
            return fault(s, SAMPLING, value)
        return debug_bus.write_mode(s, value)
    return host_write(s, address, value)
