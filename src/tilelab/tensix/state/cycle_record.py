"""What the cycle clock keeps besides the architecture: one record, ``state.cycle``.

All times are cycles of ``state.clock``: "the first cycle in which …".
"""

from functools import cache
from typing import Any, Final

import numpy as np

from tilelab.sim.record import record_type
from tilelab.tensix.tables.causes import CAUSE_COUNT, CORE_CAUSE_COUNT
from tilelab.tensix.tables.figures import PIPES, PORTS, SEMAPHORES, UNITS
from tilelab.tensix.tables.performance_counters import BANKS, EVENTS

EVENT_SLOTS: Final = 8192
WAIT_CONDITIONS: Final = 16
BUFFERS: Final = 32
BECOMES_VALID: Final = 1
GIVEN_BACK: Final = 2
"""What ``pending`` says of a Src bank whose change of owner is not seen yet."""
CACHE_LINES: Final = 256
"""Lines of the largest instruction cache."""
BRANCHES: Final = 256
"""Branches that the largest predictor remembers."""
RESOURCES: Final = 8
"""What can be made faster than it is: the numbers are in ``cycle/what_if.py``."""
FREE: Final = 255
"""In ``what_if``: it takes no time."""

Fields = list[tuple[Any, ...]]


def _frontends(threads: int) -> Fields:
    """Expanders and gates."""
    return [
        ("tracked", "<u4", (threads,)),  # a TRISC's words that have not been expanded or issued
        ("dead", "u1", (threads,)),  # the MOP expander has just finished a MOP
        ("mop_bubble", "u1", (threads,)),  # why each expander emitted nothing last, a cause
        ("replay_bubble", "u1", (threads,)),
        ("behind_full", "u1", (threads,)),  # second entry of the FIFO before the gate
        ("behind_word", "<u4", (threads,)),
        ("behind_origin", "<u8", (threads,)),
        ("cause", "u1", (threads,)),  # of this cycle; ISSUED: wants to issue, or did
        ("wants", "u1", (threads,)),
        ("held_until", "<u8", (threads,)),
    ]


def _units(threads: int, dst_rows: int) -> Fields:
    """Ports, pipelines, unpackers, packers, banks, Dst."""
    return [
        ("port_free", "<u8", (PORTS,)),
        ("port_winner", "u1", (PORTS,)),  # the thread that each took a word of last
        ("vector_from", "<u8"),  # when the vector unit's word of this cycle is over
        ("port", "u1", (threads,)),  # that each gate's word wants
        ("config_free", "<u8"),  # for what may not follow WRCFG or RDCFG at once
        ("pipe_busy", "<u8", (threads, PIPES)),
        # an unpacker's UNPACRs: that which it reads for, and the next
        ("read_left", "<u4", (2, 2)),  # bytes still to be read; 0: none is there
        ("read_speed", "u1", (2, 2)),  # wanted: x1, x2, x4
        ("read_apart", "u1", (2, 2)),  # its rows lie apart in L1
        ("read_thread", "u1", (2, 2)),
        ("read_banks", "u1", (2, 2)),  # that become valid with it, a bit each
        ("read_from", "<u8", (2,)),  # until then it is counted what was read
        ("read_next", "<u8", (2,)),  # the next one's address is known
        ("read_end", "<u8", (2,)),  # all has arrived, as far as is known
        ("read_event", "<u8"),  # when an unpacker begins or ends to read; 0: none does
        ("bank_since", "<u8", (threads,)),  # UNPACR or SETRWC waits for its bank; 0: none
        ("pack_start", "<u8", (4,)),
        ("pack_end", "<u8", (4,)),
        ("pack_turn", "u1"),  # the port that a packer shares with an unpacker is the unpacker's
        ("work", "<u4"),  # bytes that the last instruction moved from or to L1
        ("rows", "<u4"),  # rows apart in L1 that it read; 0: its input is in one piece
        ("pack_half", "u1"),  # half a cycle that additions to L1 still owe
        ("adds", "u1"),  # it added to what is in L1
        ("adds_at_once", "u1"),  # of L1's two rhythms, the one in which additions cost nothing
        ("pending", "u1", (2, 2)),  # [SrcA, SrcB][bank]: BECOMES_VALID, GIVEN_BACK or neither, 0
        ("pending_at", "<u8", (2, 2)),
        ("pending_any", "u1"),
        ("turned_at", "<u8", (2,)),  # others see the bank that the matrix unit turned to
        ("dst_ready", "<u8", (dst_rows // 8,)),
        ("dst_any", "<u8"),  # the latest of them
        ("moved_dst", "<u8"),  # for readers of Dst behind MOVA2D and MOVB2D
        ("move_opcode", "u1"),  # MOVD2A or MOVD2B: the unit takes little behind them
        ("move_until", "<u8"),
        ("late_register", "u1"),
        ("late_at", "<u8"),
        ("active_until", "<u8"),  # something is under way that needs no one's help
    ]


def _cores(cores: int) -> Fields:
    """When each core and its registers are free; what its frontend knows; its requests to L1."""
    return [
        ("core_free", "<u8", (cores,)),
        ("code_at", "u1"),  # bytes by which code lies further on in its lines than it does
        ("core_why", "u1", (cores,)),
        ("register_at", "<u8", (cores, 32)),
        ("cold", "u1", (cores,)),  # it was in reset, so it forgets what follows
        ("cache", "<u4", (cores, CACHE_LINES)),  # numbers of lines, and 1; 0: none
        ("fetch_line", "<u4", (cores,)),  # the one that its next instruction lies in, and 1
        ("fetch_ready", "<u8", (cores,)),  # when that is there
        ("fetch_from", "<u8", (cores,)),  # when it began to follow this path
        ("fetch_free", "<u8", (cores,)),  # when the next line can be asked for, in fifths
        ("branch_at", "<u4", (cores, BRANCHES)),  # addresses of branches, and 1; 0: none
        ("branch_to", "<u4", (cores, BRANCHES)),  # where each led last
        ("load_until", "<u8", (cores, 4)),  # of loads under way
        ("load_next", "u1", (cores,)),
        ("stores", "<u4"),  # queued by all cores
        ("store_count", "u1", (cores,)),
        ("store_first", "u1", (cores,)),  # the oldest, of the next two
        ("store_bank", "u1", (cores, 8)),
        ("store_whole", "u1", (cores, 8)),  # it fills its 16 bytes
        ("store_open", "<u8", (cores,)),  # until then the newest may grow; 0: it does not
        ("store_last", "<u4", (cores,)),  # the newest's last address
        ("store_bytes", "<u4", (cores,)),  # which bytes it writes
        ("l1_port", "<u8", (2,)),
        ("l1_bank", "<u8", (16,)),
        ("l1_last", "u1"),  # the port that wrote last
        ("port_last", "u1", (2,)),  # the core that each port served last
    ]


def _accounts(threads: int, cores: int) -> Fields:
    """Where the time went."""
    return [
        ("thread_cycles", "<u8", (threads, CAUSE_COUNT)),
        ("wait_unit", "<u8", (threads, WAIT_CONDITIONS)),  # by STALLWAIT's condition bit
        ("wait_semaphore", "<u8", (threads, SEMAPHORES, 2)),  # [zero, at its maximum]
        ("wait_source", "u1", (threads,)),  # what the latched wait of this cycle waits for
        ("busy_with", "<u8", (threads, PORTS)),  # UNIT_BUSY, by port
        ("port_cycles", "<u8", (PORTS,)),  # cycles in which a unit was occupied
        ("unit_idle", "<u8", (UNITS, CAUSE_COUNT)),  # it could take what a gate holds back, why
        ("unit_seen", "<u4"),  # units that a gate has accounted for in this cycle, a bit each
        ("fetch_cycles", "<u8", (2,)),  # in which each unpacker read L1
        ("fetched", "<u8", (2,)),  # bytes
        ("pack_cycles", "<u8", (4,)),
        ("packed", "<u8"),
        ("stage_stalled", "<u8", (threads, 2)),  # MOP, replay expander: held by back-pressure
        ("core_cycles", "<u8", (cores, CORE_CAUSE_COUNT)),
        ("polled", "<u8", (cores, BUFFERS, 2)),  # circular buffers: for tiles, for room
        ("looked", "<u4", (cores, 2)),  # buffers at whose counters each looked, a bit each
        ("look", "u1", (cores,)),  # the counter that each looked at last, see ``cycle/looks.py``
        ("look_at", "<u8", (cores,)),
        ("first_issue", "<u8", (threads,)),
        ("last_issue", "<u8", (threads,)),
        # performance counters, see tables/performance_counters.py
        ("count_on", "u1"),  # banks that count, a bit each
        ("count_mux", "<u4"),  # PERF_CNT_MUX_CTRL when L1's began to
        ("count_since", "<u8", (BANKS,)),
        ("count_cycles", "<u8", (BANKS,)),  # in which each has counted
        ("counted", "<u8", (EVENTS,)),
    ]


def _events(threads: int, cores: int) -> Fields:
    """Events for traces, and what they last showed."""
    return [
        ("trace_on", "u1"),
        ("event_count", "<u4"),
        ("event_clock", "<u8", (EVENT_SLOTS,)),
        ("event_kind", "u1", (EVENT_SLOTS,)),
        ("event_part", "u1", (EVENT_SLOTS,)),
        ("event_value", "<u4", (EVENT_SLOTS,)),
        ("event_length", "<u4", (EVENT_SLOTS,)),
        ("event_extra", "<u8", (EVENT_SLOTS,)),
        ("seen_depth", "<u4", (threads,)),
        ("seen_semaphore", "<u8"),
        ("seen_cause", "u1", (threads,)),
        ("seen_core", "u1", (cores,)),
        ("seen_bank", "u1"),
        ("buffers", "<u4"),  # circular buffers whose fill is noted, a bit each
        ("buffer_counters", "<u4"),  # the first one's two words in L1: received, acknowledged
        ("seen_buffer", "<u4", (BUFFERS,)),  # tiles in each
    ]


@cache
def cycle_type(threads: int, cores: int, dst_rows: int) -> np.dtype[Any]:
    """The record of a tile with so many of each; counters are in cycles."""
    return record_type(
        [
            ("on", "u1"),  # this clock runs the tile
            ("order", "u1", (threads,)),  # in which threads are visited: must not matter
            (
                "what_if",
                "u1",
                (RESOURCES,),
            ),  # how fast each is: 0 as it is, FREE, or n times as fast
            *_frontends(threads),
            *_units(threads, dst_rows),
            *_cores(cores),
            *_accounts(threads, cores),
            *_events(threads, cores),
        ]
    )
