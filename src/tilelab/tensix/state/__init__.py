"""A tile's state: its layout, the memory itself, and what kernels see of it, with types."""

from tilelab.tensix.state.engine_notes import TRACE_SLOTS
from tilelab.tensix.state.layout import CORES, THREADS
from tilelab.tensix.state.names import STATE, state_type
from tilelab.tensix.state.tensix_state import (
    ALL_CORES_IN_RESET,
    CONSTANT_LREGS,
    HEADER_BYTES,
    NOT_ARCHITECTURE,
    TensixState,
)

__all__ = [
    "ALL_CORES_IN_RESET",
    "CONSTANT_LREGS",
    "CORES",
    "HEADER_BYTES",
    "NOT_ARCHITECTURE",
    "STATE",
    "THREADS",
    "TRACE_SLOTS",
    "TensixState",
    "state_type",
]
