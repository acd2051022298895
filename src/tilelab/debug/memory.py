"""Memory as a core's loads see it, of L1 and its own RAM: what debuggers read and write."""

import numpy as np
import numpy.typing as npt

from tilelab.debug.debugger import Debugger
from tilelab.sim.errors import BadInputError
from tilelab.tensix.tables.tile_registers import LOCAL_RAM


def _memory(made: Debugger, core: int, address: int) -> tuple[npt.NDArray[np.uint8], int]:
    """The bytes of the memory that an address is in, and the address of the first."""
    ram = made.state.record["riscv"]["local_ram"][core]
    size = made.tile.arch.local_ram[core]
    if LOCAL_RAM <= address < LOCAL_RAM + size:
        return ram.view(np.uint8)[:size], LOCAL_RAM
    return made.state.l1, 0


def read_bytes(made: Debugger, core: int, address: int, count: int) -> bytes:
    """Read memory as a core sees it; what is behind its end is left out."""
    memory, start = _memory(made, core, address)
    return memory[address - start : address - start + count].tobytes()


def write_bytes(made: Debugger, core: int, address: int, data: bytes) -> None:
    """Write memory as a core sees it; BadInputError if it does not end there."""
    memory, start = _memory(made, core, address)
    at = address - start
    if at + len(data) > len(memory):
        raise BadInputError(f"there is no memory at {address:#x}")

    def change() -> None:
        memory[at : at + len(data)] = np.frombuffer(data, np.uint8)

    made.written(change)
