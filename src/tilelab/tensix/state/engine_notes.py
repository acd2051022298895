"""What engines keep about a run, in the state's record but no part of the architecture."""

from typing import Any

import numpy as np

from tilelab.sim.record import record_type

TRACE_SLOTS = 4096
"""Issued instructions that a run notes before it stops for them to be collected."""


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
            # words of L1 that stop the run once all have their values
            ("watches", "u1"),
            ("watch_address", "<u4", (8,)),
            ("watch_value", "<u4", (8,)),
            ("watch_first", "<u4"),  # the span of their indices; empty if first > last
            ("watch_last", "<u4"),
            ("trace_on", "u1"),
            ("trace_count", "<u4"),
            ("trace_clock", "<u8", (TRACE_SLOTS,)),
            ("trace_origin", "<u8", (TRACE_SLOTS,)),
            ("trace_word", "<u4", (TRACE_SLOTS,)),
            ("trace_thread", "u1", (TRACE_SLOTS,)),
        ]
    )
