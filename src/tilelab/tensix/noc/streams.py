"""The streams' registers that programs use as counters: in hardware each has 17 bits.

The vendor's kernels count the pages of circular buffer n in two registers of stream n, and
credits of the dispatcher in a third one that a write adds to. They are reachable for all cores,
the coprocessor and the NoC.

Sources: the vendor's ``stream_io_map.h`` and ``noc_overlay_parameters.h``. Not modelled: streams
that move data, and every register but these.
"""

from typing import Final

from tilelab.sim.checks import check, fault
from tilelab.sim.errors import UnimplementedFunctionalityError
from tilelab.sim.kernel import OK, kernel
from tilelab.tensix.state.records import State
from tilelab.tensix.tables.noc_registers import STREAM_BYTES

BITS: Final = 0x1FFFF
UPDATE_SHIFT: Final = 6

STREAM_REGISTER = check(
    "stream-register-not-modelled",
    UnimplementedFunctionalityError,
    "the stream register at {value:#010x} is not modelled",
    page="NoC/Overlay/README.md",
)


@kernel
def noted(s: State) -> int:
    """Count a store to a register that cores alone look at: threads cannot notice it; OK."""
    if s.engine.watch_registers:
        s.effects += 1
        s.engine.shown = 1
    else:
        s.l1_effects += 1
    return OK


@kernel
def read_stream(s: State, offset: int, address: int) -> tuple[int, int]:
    """Load a stream's register: ``(status, value)``."""
    stream = offset // STREAM_BYTES
    place = offset % STREAM_BYTES
    if place == s.arch.noc.stream_source:
        return OK, s.noc.stream_source[stream]
    if place == s.arch.noc.stream_start:
        return OK, s.noc.stream_start[stream]
    if place == s.arch.noc.stream_size:
        return OK, s.noc.stream_size[stream]
    if place == s.arch.noc.stream_space:
        return OK, s.noc.stream_space[stream]
    return fault(s, STREAM_REGISTER, address), 0


@kernel
def write_stream(s: State, offset: int, address: int, value: int) -> int:
    """Store to a stream's register."""
    stream = offset // STREAM_BYTES
    place = offset % STREAM_BYTES
    if place == s.arch.noc.stream_source:
        s.noc.stream_source[stream] = value
    elif place == s.arch.noc.stream_start:
        s.noc.stream_start[stream] = value & BITS
    elif place == s.arch.noc.stream_size:
        s.noc.stream_size[stream] = value & BITS
        s.noc.stream_space[stream] = value & BITS  # all of a buffer is free at first
    elif place == s.arch.noc.stream_update:
        s.noc.stream_space[stream] = (s.noc.stream_space[stream] + (value >> UPDATE_SHIFT)) & BITS
    else:
        return fault(s, STREAM_REGISTER, address)
    return noted(s)
