"""What a chip under the cycle clock knows of a request that is under way: a flight."""

from typing import Final

from tilelab.sim.record import record_type
from tilelab.tensix.state.noc_record import REQUEST

FLIGHTS: Final = 8192
"""Requests, and copies of multicasts, that can be under way."""
EVENTS: Final = FLIGHTS + 1
"""Each flight has one to come; one of them, besides, is being dealt with."""
CARRIED: Final = 1 << 14
"""Bytes that a flight can carry: the most that a request may have."""
PASSED: Final = 64
"""Ways that a packet takes at most: round a torus in both directions."""
CHANNELS: Final = 3
REQUESTS_CHANNEL: Final = 2
"""Virtual channels of a way: two that answers choose from, and that of requests."""
GAPS: Final = 4
"""Times in which a way is free, before others for which it is taken, that are remembered."""
WAYS: Final = 1 << 15
"""Ways that a packet takes, by number: NoC << 14 | y << 9 | x << 4 | one of these."""
ALONG_X, ALONG_Y, OUT, IN, INTAKE, CHANNEL, ATOMICS = range(7)
"""From a router to the next one along x or along y, or to its interface; from there into the
network. And: what a DRAM tile accepts reads through, its channels, what does atomics."""

LEAVES, GOES, SENT, WAITS, ARRIVES, ACKNOWLEDGED, SERVED, BEGINS, ANSWERS, RETURNS, BACK = range(11)
"""Stages of a flight. Its packet is to leave, does, has left; it waits for its turn (an atomic),
arrives, is acknowledged; a read is served, DRAM begins with it, its answer is to leave, does; it is
over."""
READ_QUEUES: Final = 1 << 13
"""Queues of requests for reads, by number: see ``queues.py``."""

FLIGHT = record_type(
    [
        ("request", REQUEST),
        ("tile", "<u4"),  # whose it is,
        ("asked", "<u8"),  # since this cycle
        ("stage", "u1"),  # what is to be done next
        ("place", "<u4"),  # where it goes
        ("at", "<u8"),  # when it will be there, or its answer back, in tenths
        ("parent", "<u4"),  # of a copy of a multicast: the flight that has its data
        ("copies", "<u4"),  # of a multicast: how many are under way,
        ("reached", "<u4"),  # and how many there were
        ("links", "<u8"),  # tenths that it has waited for links,
        ("queue", "<u8"),  # for DRAM,
        ("served", "<u8"),  # and that it has been served
        ("next", "<u4"),  # free flight, or the one behind it in a queue, plus one
    ]
)
READ_QUEUE = record_type(
    [
        ("first", "<u4"),  # flight, plus one,
        ("last", "<u4"),  # and last
        ("count", "<u4"),
        ("waits", "u1"),  # its first flight stands in another queue's list of those who ask:
        ("next", "<u4"),  # behind it that of this queue, plus one
        ("asked_first", "<u4"),  # who asks for room in this one: queues, plus one
        ("asked_last", "<u4"),
        ("listed", "u1"),  # it is to be looked at
    ]
)
