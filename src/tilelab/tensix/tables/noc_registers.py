"""Where a chip's NoC interfaces and streams keep their registers, as data.

Sources: tt-isa-documentation, NoC/MemoryMap.md and NoC/Counters.md of each chip; the streams'
register numbers are those of the vendor's ``noc_overlay_parameters.h``.
"""

from dataclasses import dataclass
from typing import Final

NIUS: Final = 2
INITIATORS: Final = 4
"""Request initiators ("command buffers") of each interface."""
INITIATOR_WORDS: Final = 17
CONFIG: Final = 0x100
CONFIG_WORDS: Final = 32
COUNTERS: Final = 0x200
COUNTER_WORDS: Final = 64
CLEAR_OUTSTANDING: Final = 0x60
STREAMS: Final = 64
STREAM_BYTES: Final = 0x1000


@dataclass(frozen=True)
class NocRegisters:
    """Offsets in bytes, readable in kernels as ``s.arch.noc.NAME``."""

    stride: int
    """From one request initiator to the next."""
    coordinate_shift: int
    """Coordinates follow the address's bits in the MID registers (Wormhole: 4 bits of address);
    0: they have registers of their own (Blackhole)."""
    data: int
    """NOC_AT_DATA."""
    go: int
    """NOC_CMD_CTRL."""
    node_id: int
    logical_id: int
    width: int
    """Columns of the NoC."""
    height: int
    """Rows of the NoC."""
    read_alignment: int
    """Reads of memory other than L1: both addresses are equal modulo this."""
    stream_source: int
    """STREAM_REMOTE_SRC: a kept value."""
    stream_start: int
    """STREAM_REMOTE_DEST_BUF_START: here a plain counter."""
    stream_size: int
    """STREAM_REMOTE_DEST_BUF_SIZE: likewise."""
    stream_update: int
    """STREAM_REMOTE_DEST_BUF_SPACE_AVAILABLE_UPDATE: adds its bits from 6 up to the next."""
    stream_space: int
    """STREAM_REMOTE_DEST_BUF_SPACE_AVAILABLE."""
    inline_to_l1: int
    """1: inline writes may go to L1 (Wormhole)."""
    streams: int
    """How many streams there are."""
