"""The part of a tile's address map that is the NoC's: both interfaces, then the streams.

A tile by itself has neither, as there is nobody to talk to, unless NCRISC was started there: then
they reach that tile.
"""

from typing import Final

from tilelab.sim.checks import check, fault
from tilelab.sim.errors import UnsupportedFunctionalityError
from tilelab.sim.kernel import OK, kernel
from tilelab.tensix.noc.itself import carry_out
from tilelab.tensix.noc.niu import read_niu, write_niu
from tilelab.tensix.noc.streams import read_stream, write_stream
from tilelab.tensix.state.noc_record import ITSELF
from tilelab.tensix.state.records import State
from tilelab.tensix.tables.tile_registers import NOC, STREAMS

NIU_BYTES: Final = 0x10000

NOC_REGISTERS = check(
    "noc-register",
    UnsupportedFunctionalityError,
    "{value:#010x} belongs to the NoC or its overlay, which a tile by itself does not have",
    page="BabyRISCV/README.md",
    cure="run the program on a chip",
)


@kernel
def read_noc(s: State, address: int) -> tuple[int, int]:
    """Load a word of the NoC's registers: ``(status, value)``."""
    if not s.noc.connected:
        return fault(s, NOC_REGISTERS, address), 0
    if address >= STREAMS:
        return read_stream(s, address - STREAMS, address)
    return read_niu(s, (address - NOC) // NIU_BYTES, (address - NOC) % NIU_BYTES, address)


@kernel
def write_noc(s: State, address: int, value: int) -> int:
    """Store a word to the NoC's registers."""
    if not s.noc.connected:
        return fault(s, NOC_REGISTERS, address)
    if address >= STREAMS:
        return write_stream(s, address - STREAMS, address, value)
    niu = (address - NOC) // NIU_BYTES
    code = write_niu(s, niu, (address - NOC) % NIU_BYTES, address, value)
    if code == OK and s.noc.connected == ITSELF and s.noc.requests:
        return carry_out(s)
    return code
