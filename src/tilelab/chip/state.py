"""What a chip is besides its Tensix tiles, as one record, and what else kernels see of it.

A chip's kernels call it ``c``. Places are numbers here: x | y << 6 of the coordinates that programs
and hosts use.
"""

from collections.abc import Sequence
from typing import Final

from tilelab.chip.flight_record import (
    CHANNELS,
    EVENTS,
    FLIGHT,
    FLIGHTS,
    GAPS,
    PASSED,
    READ_QUEUE,
    READ_QUEUES,
    WAYS,
)
from tilelab.chip.records import ChipRecord
from tilelab.sim.array import Array1
from tilelab.sim.record import record_type
from tilelab.tensix.chips.profile import Arch
from tilelab.tensix.state.layout import CORES, THREADS
from tilelab.tensix.state.noc_record import REQUEST_SLOTS
from tilelab.tensix.state.records import State

PLACES: Final = 1 << 12
TILES: Final = 160
SLICE: Final = 4096
"""Rounds that a tile runs before the next one has its turn."""
CYCLES: Final = 16
"""The same under the cycle clock, at most: no request has an effect within so many cycles."""
STAGE: Final = 1 << 16
"""Bytes that one access, or one NoC request, may move."""
ARC_WORDS: Final = 128
ETHERNET_TILES: Final = 16
ETHERNET_REGISTERS: Final = 16
ETHERNET_WORDS: Final = 24
WINDOW_KINDS: Final = 4
ENTRY_BYTES: Final = 4096
HOST_REGISTERS: Final = 32
REGIONS: Final = 8
REGION_WORDS: Final = 0x80
INITIAL_WORDS: Final = 4096
NOTES: Final = 4096
NOTED: Final = {
    "clock": "<u8", "tile": "<u4", "niu": "u1", "core": "u1", "pc": "<u4", "control": "<u4",
    "length": "<u4", "from": "<u4", "to": "<u4", "target": "<u8", "ret": "<u8",
    "took": "<u4", "links": "<u4", "queue": "<u4", "served": "<u4",
}  # fmt: skip
"""What is noted of a request: the clock and the number of the tile that asks, the request's own
fields, and the places that its data come from and go to. Under the cycle clock: in how many cycles
it was over, and for how many of these it waited for links, waited for DRAM, was served there."""
SPEEDS: Final = 8
"""Room for parts that can be made faster: the numbers are in ``speeds.py``."""
NEVER: Final = 1 << 62
"""A clock that does not come, and a number of effects."""
ADVANCE: Final = 64
"""Instructions that a core of a chip in step may execute in advance."""
QUEUE: Final = 512
"""Room for words that wait for a thread of a chip in step; the vendor's simulator has as much."""

NOTHING, TENSIX, DRAM, ETHERNET, ARC, HOST = range(6)
"""What is at a place, ``kind``; ``index`` is its number, of DRAM its bank's."""

ASLEEP, WANT_HOST_READ, WANT_HOST_WRITE, PROBLEM, WANT_RUN, WANT_LINK = -1, -2, -3, -4, -5, -6
"""What kernels of a chip return besides OK, codes of checks, and an engine's STOP codes: nothing
can change without the host; the stage is wanted from host memory, or is to go there, before the
same call is made again; ``problem`` says what is wrong; the chip is to run before that; the stage
is to go over a link, then the same call."""

PACE = record_type(
    [
        ("running", "u1"),  # which cores run, by bits,
        ("anew", "u1"),  # until these have to be found out anew
        ("stirring", "u1"),  # the threads may have something to do
        ("asleep", "u1"),  # cores that repeat themselves, by bits
        ("queued", "<u4", (THREADS,)),  # words expanded that wait for a thread
        ("queue_first", "<u4", (THREADS,)),
        ("more", "<u8"),  # rounds that have passed besides one in each clock
        ("changes", "<u8"),  # happened that counters of effects do not show
    ]
)
"""What a chip in step knows of a tile."""
LEAD = record_type(
    [
        ("x", "<u4", (32,)),  # registers before what has been executed in advance
        ("until", "<u8"),  # up to this round instructions have been executed,
        ("first", "<u8"),  # in advance from this one on:
        ("retired", "<u8"),
        ("pc", "<u4"),
        ("stores", "<u4"),  # there were so many stores to the core's own RAM,
        ("seen", "<u8"),  # the core has been looked at since this many effects in its tile,
        ("turns", "<u4"),  # so often,
        ("window", "<u4"),  # its registers noted after so many looks,
        ("since", "<u8"),  # in this round
        ("period", "<u4"),  # it repeats itself in so many rounds
        ("index", "<u4", (ADVANCE,)),  # where the stores went,
        ("word", "<u4", (ADVANCE,)),  # and what was there
    ]
)
"""What a chip in step knows of a core."""

CHIP = record_type(
    [
        ("time", "<u8"),  # rounds that have passed at the tile that has run longest
        ("end", "<u8"),  # of the run
        ("turn", "<u4"),  # whose turn it is
        ("delivering", "u1"),  # in step: its requests, or its threads', are being carried out
        ("in_step", "u1"),  # each clock of the host is as much as the vendor's simulator does
        ("round", "<u4"),  # of the tile whose clock it is, and which core's turn
        ("position", "<u4"),
        ("pace", PACE, (TILES,)),  # in step, of each tile
        ("calls", "<u8", (TILES,)),  # the clock in which a tile is to be looked at again,
        ("first_call", "<u8"),  # of all of them
        ("due", "u1"),  # the host has let time pass for which the chip has yet to run
        ("settling", "u1"),  # what tiles have asked for is being carried out,
        ("next", "<u4"),  # of the tile in turn this request next
        ("late", "u1"),  # requests are kept back for as long as their tile can do anything else
        ("slice", "<u4"),  # rounds that a tile runs until others see what it did
        ("both_ways", "u1"),  # physical coordinates on NoC 1 may be those of NoC 0
        ("told", "u1"),  # who uses what these bring too early has been reported
        ("tiles", "<u4"),  # how many there are
        ("states", "<u4"),  # and with the Ethernet tiles whose core runs, which follow them
        ("awake", "<u4"),  # how many do not sleep, and which
        ("is_awake", "u1", (TILES,)),
        ("ran", "u1", (TILES,)),  # which ran and have not been dealt with since,
        ("code_of", "<i4", (TILES,)),  # with what each ended,
        ("written", "u1", (TILES,)),  # and which were written to since
        ("place_of", "<u4", (TILES,)),
        ("physical_of", "<u4", (TILES,)),
        ("address_of", "<u8", (TILES,)),  # of their state, in compiled code
        ("kind", "u1", (PLACES,)),
        ("index", "<u4", (PLACES,)),
        ("translated", "<u4", (PLACES,)),  # of physical coordinates
        ("requests", "<u8"),  # of the NoC, carried out so far
        ("problem", "<u4"),
        ("problem_place", "<u4"),
        ("problem_address", "<u8"),
        ("problem_value", "<u8"),
        ("stage", "u1", (STAGE,)),  # what is read, or to be written
        ("host_address", "<u8"),  # of what is wanted from host memory, or is to go there
        ("host_count", "<u4"),
        ("host_done", "u1"),
        ("arc_words", "<u4"),
        ("arc_address", "<u8", (ARC_WORDS,)),
        ("arc_value", "<u4", (ARC_WORDS,)),
        ("ethernet_registers", "<u4"),
        ("ethernet_address", "<u4", (ETHERNET_REGISTERS,)),
        ("ethernet_register", "<u4", (ETHERNET_TILES, ETHERNET_REGISTERS)),
        ("ethernet_words", "<u4"),  # of memory, that its firmware would have left
        ("ethernet_word_at", "<u4", (ETHERNET_WORDS,)),
        ("ethernet_word", "<u4", (ETHERNET_TILES, ETHERNET_WORDS)),
        ("ethernet_state", "<u4", (ETHERNET_TILES,)),  # 1 + its number, of a tile whose cores run
        ("linked", "u1", (ETHERNET_TILES,)),  # their links are up
        ("peer", "<u4", (ETHERNET_TILES,)),  # where they lead: a chip's number << 12 | place
        ("link", "<u4"),  # the Ethernet tile that sends the stage over its link
        ("others", "u1"),  # a neighbour may change what this chip has
        ("windows", "<u4"),  # kinds of windows
        ("window_first", "<u4", (WINDOW_KINDS,)),
        ("window_count", "<u4", (WINDOW_KINDS,)),
        ("window_base", "<u4", (WINDOW_KINDS,)),
        ("window_shift", "<u4", (WINDOW_KINDS,)),
        ("entry", "<u4", (ENTRY_BYTES // 4,)),
        ("host_registers", "<u4"),
        ("host_offset", "<u4", (HOST_REGISTERS,)),
        ("host_register", "<u4", (HOST_REGISTERS,)),
        ("region", "<u4", (REGIONS, REGION_WORDS)),
        ("initial_words", "<u4"),  # of a tile's record that are not 0 when the chip powers up
        ("initial_at", "<u4", (INITIAL_WORDS,)),
        ("initial_value", "<u4", (INITIAL_WORDS,)),
        ("queue_word", "<u4", (TILES * THREADS, QUEUE)),
        ("queue_origin", "<u8", (TILES * THREADS, QUEUE)),
        ("lead", LEAD, (TILES * CORES,)),  # in step, of each core
        ("noting", "u1"),  # requests are noted as they are carried out,
        ("next_look", "<u8"),
        ("noted", "<u4"),  # so many so far: who asked when, and for what
        *((f"noted_{name}", kind, (NOTES,)) for name, kind in NOTED.items()),
        # Under the cycle clock, what is under way: see ``flights.py``.
        ("flight", FLIGHT, (FLIGHTS,)),
        ("first_free", "<u4"),  # flight, plus one; further ones are chained
        ("flights_made", "<u4"),  # how many have ever been used
        ("flights_left", "<i4"),  # free ones that are not promised to anybody
        ("events", "<u4"),  # a heap: the cycle of each, its number, its flight
        ("event_due", "<u8", (EVENTS,)),
        ("event_order", "<u8", (EVENTS,)),
        ("event_flight", "<u4", (EVENTS,)),
        ("event_number", "<u8"),
        ("asked_at", "<u8", (TILES, REQUEST_SLOTS)),
        ("what_if", "u1", (SPEEDS,)),  # how many times as fast parts are, or 0
        ("physical_at", "<u4", (PLACES,)),  # where each place is
        ("way_free", "<u8", (WAYS,)),  # until when each way is taken, in tenths of a cycle,
        ("gap_from", "<u8", (WAYS, GAPS)),  # and before that these times are free
        ("gap_until", "<u8", (WAYS, GAPS)),
        ("way_busy", "<u8", (WAYS,)),  # and for how long it has been
        ("way_packet", "<u8", (WAYS,)),  # the last packet that took it, and when
        ("way_start", "<u8", (WAYS,)),
        ("packets", "<u8"),
        ("waited", "<u8"),  # for ways, by the packet that is being booked
        ("is_request", "u1"),  # it is a request, no answer
        ("passed", "<u4"),  # so many ways it has taken: which
        ("passed_way", "<u4", (PASSED,)),
        ("passed_vc", "u1", (PASSED,)),
        ("held", "<u8", (WAYS, CHANNELS)),  # until when a virtual channel of a way is held up
        ("queue", READ_QUEUE, (READ_QUEUES,)),
        ("listed", "<u4", (READ_QUEUES,)),  # queues that are to be looked at: so many
        ("lists", "<u4"),
    ]
)


class ChipState(ChipRecord):
    """A chip as its kernels see it; the record's fields, and then what lies elsewhere."""

    arch: Arch
    tile: Sequence[State]
    dram: Array1
    """Bytes of all banks, one behind the other."""
    ethernet: Array1
    """Bytes of all Ethernet tiles' memories, one behind the other."""
    carried: Array1
    """Bytes that flights carry, STAGE for each."""
