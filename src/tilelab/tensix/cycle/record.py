"""What the cycle clock keeps besides the architecture: one record, ``state.cycle``.

All times are cycles of ``state.clock``: "the first cycle in which …".
"""

from typing import Final

from tilelab.sim.record import record_type
from tilelab.tensix.cycle.causes import CAUSE_COUNT, CORE_CAUSE_COUNT
from tilelab.tensix.cycle.figures import PIPES, PORTS

THREADS, CORES = 3, 4
EVENT_SLOTS: Final = 8192
DST_BLOCKS: Final = 128
WAIT_CONDITIONS: Final = 16
SEMAPHORES: Final = 8

CYCLE = record_type(
    [
        ("on", "u1"),  # this clock runs the tile
        ("order", "u1", (THREADS,)),  # in which threads are visited: must not matter
        # frontends
        ("tracked", "<u4", (THREADS,)),  # a TRISC's words that have not been expanded or issued
        ("dead", "u1", (THREADS,)),  # the MOP expander has just finished a MOP
        ("mop_bubble", "u1", (THREADS,)),  # why each expander emitted nothing last, a cause
        ("replay_bubble", "u1", (THREADS,)),
        ("behind_full", "u1", (THREADS,)),  # second entry of the FIFO before the gate
        ("behind_word", "<u4", (THREADS,)),
        ("behind_origin", "<u8", (THREADS,)),
        # gates
        ("cause", "u1", (THREADS,)),  # of this cycle; ISSUED: wants to issue, or did
        ("tried", "u1", (THREADS,)),
        ("held_until", "<u8", (THREADS,)),
        # units
        ("port_free", "<u8", (PORTS,)),
        ("port_name", "u1", (THREADS,)),  # port that each gate's word wants
        ("config_free", "<u8"),  # for what may not follow WRCFG or RDCFG at once
        ("pipe_busy", "<u8", (THREADS, PIPES)),
        ("fetch_start", "<u8", (2,)),  # of each unpacker's last tile
        ("fetch_end", "<u8", (2,)),
        ("fetch_rate", "<u4", (2,)),
        ("pack_start", "<u8", (4,)),
        ("pack_end", "<u8", (4,)),
        ("work", "<u4"),  # bytes that the last instruction moved from or to L1
        ("pending", "u1", (2, 2)),  # [SrcA, SrcB][bank]: 1 becomes valid, 2 is given back
        ("pending_at", "<u8", (2, 2)),
        ("pending_any", "u1"),
        ("dst_ready", "<u8", (DST_BLOCKS,)),
        ("dst_any", "<u8"),  # the latest of them
        ("moved_dst", "<u8"),  # for readers of Dst behind MOVA2D and MOVB2D
        ("move_opcode", "u1"),  # MOVD2A or MOVD2B, behind which the matrix unit takes little else
        ("move_until", "<u8"),
        ("late_register", "u1"),
        ("late_at", "<u8"),
        ("active_until", "<u8"),  # something is under way that needs no one's help
        # cores
        ("core_free", "<u8", (CORES,)),
        ("core_why", "u1", (CORES,)),
        ("register_at", "<u8", (CORES, 32)),
        # where the time went
        ("thread_cycles", "<u8", (THREADS, CAUSE_COUNT)),
        ("wait_unit", "<u8", (THREADS, WAIT_CONDITIONS)),  # by STALLWAIT's condition bit
        ("wait_semaphore", "<u8", (THREADS, SEMAPHORES, 2)),  # [zero, at its maximum]
        ("wait_source", "u1", (THREADS,)),  # what the latched wait of this cycle waits for
        ("busy_with", "<u8", (THREADS, PORTS)),  # UNIT_BUSY, by port
        ("port_cycles", "<u8", (PORTS,)),  # cycles in which a unit was occupied
        ("fetch_cycles", "<u8", (2,)),  # in which each unpacker read L1
        ("fetched", "<u8", (2,)),  # bytes
        ("pack_cycles", "<u8", (4,)),
        ("packed", "<u8"),
        ("stage_stalled", "<u8", (THREADS, 2)),  # MOP, replay expander: held by back-pressure
        ("core_cycles", "<u8", (CORES, CORE_CAUSE_COUNT)),
        ("first_issue", "<u8", (THREADS,)),
        ("last_issue", "<u8", (THREADS,)),
        # events for traces
        ("trace_on", "u1"),
        ("event_count", "<u4"),
        ("event_clock", "<u8", (EVENT_SLOTS,)),
        ("event_kind", "u1", (EVENT_SLOTS,)),
        ("event_part", "u1", (EVENT_SLOTS,)),
        ("event_value", "<u4", (EVENT_SLOTS,)),
        ("event_length", "<u4", (EVENT_SLOTS,)),
        ("event_extra", "<u8", (EVENT_SLOTS,)),
        ("seen_depth", "<u4", (THREADS,)),
        ("seen_semaphore", "<u8"),
        ("seen_cause", "u1", (THREADS,)),
        ("seen_core", "u1", (CORES,)),
        ("seen_bank", "u1"),
    ]
)
"""The record; counters are in cycles."""
