"""What the NoC and DRAM of a chip take, as figures that kernels read as ``arch.noc_times.NAME``.

Times are cycles of the chip's clock, or tenths or thousandths of one where a name says so.
"""

from dataclasses import dataclass
from typing import Final

from tilelab.isa.figure import Figure

ISA: Final = "tt-isa-documentation, NoC/README.md, performance"
TT_SIM: Final = "mesham/tt-sim@8b031a6"
BUFFERS: Final = (
    "tt-isa-documentation, WormholeB0/DRAMTile/README.md: 32 bytes of a virtual channel's own, and "
    "480 shared"
)
DATASET: Final = "tenstorrent/tt-metal@1bf4911, noc_latencies.yaml"


@dataclass(frozen=True)
class NocTimes:
    """Figures of one chip."""

    flit_bytes: Figure
    """Bytes of data that a flit carries; every packet has a flit more, its header."""
    hop: Figure
    """Cycles from a router to the next one."""
    into_network: Figure
    """Cycles from an interface to its router."""
    out_of_network: Figure
    """Cycles from a router to its interface."""
    interface: Figure
    """Cycles from the store that initiates a request to its packet's first flit; and from a packet's
    arrival to the first flit of its answer, where L1 or registers answer."""
    flit_thousandths: Figure
    """Thousandths of a cycle that a link is taken by each flit."""
    answer_thousandths: Figure
    """The same of the flits of a read's answer."""
    buffer_flits: Figure
    """Flits that a router keeps of what came by one way: of a packet whose head waits, or as many
    requests for reads; an interface keeps as many of these."""
    atomic_tenths: Figure
    """Tenths of a cycle that a target is taken by an atomic."""
    dram_read: Figure
    """Cycles by which DRAM answers a read later than L1 does."""
    dram_write: Figure
    """Cycles by which DRAM acknowledges a write later than L1 does."""
    dram_request_tenths: Figure
    """Tenths of a cycle between two reads that a DRAM tile accepts from a NoC."""
    dram_read_rate: Figure
    """Bytes that a DRAM channel gives in 1000 cycles."""
    dram_write_rate: Figure
    """Bytes that a DRAM channel takes in 1000 cycles."""
    dram_channel_bits: Figure
    """Which of a bank's channels an address is in: its bits from this one on."""
