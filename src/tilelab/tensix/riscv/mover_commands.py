"""The mover's command queue, as cores reach it (TDMA-RISC.md).

A command is complete when its store is. Not modelled: compact commands, writes to L1, the
registers of that region that concern packers and unpackers.
"""

from typing import Final

from tilelab.sim.checks import check, fault
from tilelab.sim.errors import UnimplementedFunctionalityError
from tilelab.sim.kernel import OK, WORD, kernel
from tilelab.tensix.backend.mover import move
from tilelab.tensix.state.records import State
from tilelab.tensix.tables.tile_registers import TDMA_REGISTERS

PARAMETERS: Final = 4
COMMAND: Final = 0x10
STATUS: Final = 0x14
MOVE, WAIT, NOP = 0x40, 0x46, 0x89
IDLE: Final = 1 << 3 | 1 << 5 | 4 << 8
"""StatusBits: both queues empty, room for four commands."""

COMMAND_NOT_MODELLED = check(
    "mover-command",
    UnimplementedFunctionalityError,
    "the mover's command {value:#x} is not modelled",
    page="TDMA-RISC.md",
)


@kernel
def is_mover_register(address: int) -> int:
    """Whether an address is one of the command queue's."""
    return 1 if TDMA_REGISTERS <= address <= TDMA_REGISTERS + STATUS else 0


@kernel
def read_mover(s: State, address: int) -> tuple[int, int]:
    """Load a register of the queue: all but the status read 0."""
    return OK, IDLE if address == TDMA_REGISTERS + STATUS else 0


@kernel
def write_mover(s: State, address: int, value: int) -> int:
    """Store a parameter or a command."""
    index = (address - TDMA_REGISTERS) >> 2
    if index < PARAMETERS:
        s.mover_parameter[index] = value
        s.effects += 1
        return OK
    if address == TDMA_REGISTERS + STATUS:
        return OK
    if value in (WAIT, NOP) or value == 1 << 31 | NOP:
        return OK
    if value != MOVE:
        return fault(s, COMMAND_NOT_MODELLED, value)
    s.effects += 1
    s.engine.shown = 1
    p = s.mover_parameter
    target, source = (p[1] << 4) & WORD, (p[0] << 4) & WORD
    status: int = move(s, target, source, (p[2] & 0xFFFF) << 4, p[3] & 3)
    return status
