"""What engines keep about a run, in the state's record but no part of the architecture."""

from typing import Any

import numpy as np

from tilelab.sim.record import record_type

TRACE_SLOTS = 4096
"""Issued instructions that a run notes before it stops for them to be collected."""

LOOP_SLOTS = 64
"""Instructions of the longest loop in which a core is known to poll."""
POLLED_SLOTS = 16
"""Words that such a loop may look at."""
POLL = record_type(
    [
        ("length", "u1"),  # instructions of the loop; 0: none is known
        ("start", "u1"),  # which of them is next when registers are as in x
        ("words", "u1"),
        ("turns", "u1"),  # while noting: how often the core was back with other registers
        # a loop that looks at the clock, see ``run/clock_waits.py``
        ("clocked", "u1"),
        ("until", "<u8"),  # clock up to which it goes the same way
        ("moving", "<u4"),  # bits of registers that count up with the clock
        ("set", "<u4"),  # bits of registers that it sets
        ("used", "<u4"),  # and of those that it looks at before
        ("first", "<u4"),  # the span of words of L1 that the loop depends on; empty if first > last
        ("last", "<u4"),
        ("since", "<u8"),  # clock at which the core was there last; of the next note, while noting
        ("next", "<u4"),  # pc of the next note
        ("x", "<u4", (32,)),
        ("pc", "<u4", (LOOP_SLOTS,)),
        ("code", "<u4", (LOOP_SLOTS,)),
        ("index", "<u4", (POLLED_SLOTS,)),  # of a word that it looks at
        ("value", "<u4", (POLLED_SLOTS,)),  # that the word has
    ]
)
"""A core's loop that changes nothing, see ``run/polls/polling.py``."""


def engine_type(threads: int, cores: int) -> np.dtype[Any]:
    """What engines keep about a run; no part of the architecture."""
    return record_type(
        [
            ("vector", "u1"),  # a vector instruction was issued in this round
            ("moved", "u1"),  # something but a core moved in this round
            # the search for cores that only spin, see ``run/stuck.py``
            ("stale", "<u8"),
            ("next_look", "<u8"),
            ("effects_seen", "<u8"),
            ("seen_pc", "<u4", (cores,)),
            ("seen_retired", "<u8", (cores,)),
            ("seen_x", "<u4", (cores, 32)),
            ("spinning", "u1", (cores,)),
            # cores that poll are found and left alone, see ``run/polls/polling.py``
            ("find_polls", "u1"),
            ("polling", "u1"),  # bits of cores that poll: they are not stepped
            ("waiting", "u1"),  # bits of cores that wait on, while no thread goes on
            ("shown", "u1"),  # what such a core looks at may have changed
            ("looking", "u1"),  # bits of cores that may turn out to
            ("arrived", "u1"),  # whether one of these is where it was when the look began
            ("look_at", "<u8"),  # clock at which to look next
            ("look_gap", "<u4"),
            ("wake_at", "<u8"),  # clock at which such a core is stepped again; 0: it is no clock's
            # what each gate and core last waited for, and counts
            ("gate_wait", "<i4", (threads,)),
            ("core_wait", "<i4", (cores,)),
            ("stalled", "<u8", (threads,)),
            ("issued", "<u8", (threads, 256)),
            # whose word failed a check
            ("fault_thread", "<i4"),
            ("fault_word", "<u4"),
            ("fault_origin", "<u8"),
            ("end", "<u8"),  # clock at which the run ends
            # not 0 while every round's end is to be looked at: STOPS_WANTED, CORES_WATCHED
            ("attention", "u1"),
            # words of L1 that stop the run once all have their values, or once one has another
            ("watches", "u1"),
            ("watch_changes", "u1"),
            ("watch_address", "<u4", (8,)),
            ("watch_value", "<u4", (8,)),
            ("watch_first", "<u4"),  # the span of their indices; empty if first > last
            ("watch_last", "<u4"),
            ("watch_registers", "u1"),  # a core may poll registers, too
            ("trace_on", "u1"),
            ("trace_count", "<u4"),
            ("trace_clock", "<u8", (TRACE_SLOTS,)),
            ("trace_origin", "<u8", (TRACE_SLOTS,)),
            ("trace_word", "<u4", (TRACE_SLOTS,)),
            ("trace_thread", "u1", (TRACE_SLOTS,)),
        ]
    )
