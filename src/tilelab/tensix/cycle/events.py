"""What the cycle clock notes for traces, while one is wanted: one row of numbers per event.

``part`` is a thread, a core or a pipeline, by kind. States (a gate's cause, a core's, depths,
semaphores, bank owners, circular buffers) are noted when they change.
"""

from typing import Final

import numpy as np

from tilelab.sim.kernel import OK, kernel
from tilelab.tensix.backend.src_registers import valid_bits
from tilelab.tensix.cycle.looks import IN_STREAMS
from tilelab.tensix.state.cycle_record import BUFFERS, EVENT_SLOTS
from tilelab.tensix.state.records import State

ISSUE: Final = 1  # part thread, value word, length cycles in the unit, extra origin
GATE: Final = 2  # part thread, value cause, extra what a latched wait waits for
CORE: Final = 3  # part core, value cause, extra pc
DEPTH: Final = 4  # part thread, value words: input FIFO, late FIFO << 8, gate FIFO << 16
SEMAPHORE: Final = 5  # value: four bits each
BANKS: Final = 6  # value: valid bits, see ``units.valid_bits``
MOP_OUT: Final = 7  # part thread, value word, length place in the MOP's loops, extra origin
REPLAY_OUT: Final = 8  # part thread, value word, extra origin
RECORD_SLOT: Final = 9  # part thread, value word, length slot, extra origin
PUSH: Final = 10  # part core, value word, length thread, extra pc
BUFFER: Final = 11  # part circular buffer, value tiles in it, extra tiles received so far
EVENT = np.dtype(
    [
        ("clock", "<u8"),
        ("kind", "u1"),
        ("part", "u1"),
        ("value", "<u4"),
        ("length", "<u4"),
        ("extra", "<u8"),
    ]
)
"""One event, as sinks get them: arrays of these, in order."""

MARGIN: Final = 128
"""Events that one cycle can make, at most."""


@kernel
def note(s: State, kind: int, part: int, value: int, length: int, extra: int) -> int:
    """Note an event of this cycle."""
    cycle = s.cycle
    n = cycle.event_count
    if n < EVENT_SLOTS:
        cycle.event_clock[n] = s.clock
        cycle.event_kind[n] = kind
        cycle.event_part[n] = part
        cycle.event_value[n] = value
        cycle.event_length[n] = length
        cycle.event_extra[n] = extra
        cycle.event_count = n + 1
    return OK


@kernel
def note_gate(s: State, t: int) -> int:
    """Note what became of a gate's cycle, if that differs from the cycle before."""
    cycle = s.cycle
    cause = cycle.cause[t]
    if cause != cycle.seen_cause[t]:
        cycle.seen_cause[t] = cause
        note(s, GATE, t, cause, 0, cycle.wait_source[t])
    return OK


@kernel
def note_states(s: State) -> int:
    """Note depths, semaphores, bank owners and circular buffers that have changed."""
    cycle = s.cycle
    for t in range(s.arch.threads):
        f = s.frontend[t]
        depth = (
            f.input_fifo.count | f.late_fifo.count << 8 | (f.gate_full + cycle.behind_full[t]) << 16
        )
        if depth != cycle.seen_depth[t]:
            cycle.seen_depth[t] = depth
            note(s, DEPTH, t, depth, 0, 0)
    semaphores = 0
    for i in range(8):
        semaphores |= s.semaphore[i].value << (4 * i)
    if semaphores != cycle.seen_semaphore:
        cycle.seen_semaphore = semaphores
        note(s, SEMAPHORE, 0, semaphores, 0, 0)
    banks = valid_bits(s)
    if banks != cycle.seen_bank:
        cycle.seen_bank = banks
        note(s, BANKS, 0, banks, 0, 0)
    if cycle.buffers != 0:
        note_buffers(s)
    return OK


@kernel
def note_buffers(s: State) -> int:
    """Note circular buffers that hold more or fewer tiles than before.

    They are counted in L1, or in the registers of streams: there by pages, in 16 bits.
    """
    cycle = s.cycle
    for i in range(BUFFERS):
        if cycle.buffers >> i & 1:
            if cycle.buffer_counters == IN_STREAMS:
                received = s.noc.stream_size[i]
                held = (received - s.noc.stream_start[i]) & 0xFFFF
            else:
                at = (cycle.buffer_counters >> 2) + 2 * i
                received = s.l1_32[at]
                held = (received - s.l1_32[at + 1]) & 0xFFFFFFFF
            if held != cycle.seen_buffer[i]:
                cycle.seen_buffer[i] = held
                note(s, BUFFER, i, held, 0, received)
    return OK


@kernel
def note_core(s: State, core: int, cause: int) -> int:
    """Note what a core does, if that differs from the cycle before."""
    cycle = s.cycle
    if cause != cycle.seen_core[core]:
        cycle.seen_core[core] = cause
        note(s, CORE, core, cause, 0, s.riscv[core].pc)
    return OK


@kernel
def forget_seen(s: State) -> int:
    """Begin a trace: every state is new."""
    cycle = s.cycle
    for t in range(s.arch.threads):
        cycle.seen_cause[t] = 0xFF
        cycle.seen_depth[t] = 0xFFFFFFFF
    for core in range(s.arch.cores):
        cycle.seen_core[core] = 0xFF
    for i in range(BUFFERS):
        cycle.seen_buffer[i] = 0xFFFFFFFF
    cycle.seen_semaphore = 1 << 40
    cycle.seen_bank = 0xFF
    return OK
