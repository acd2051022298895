"""The state of a tile's NoC interfaces, ``state.noc``."""

from typing import Final

from tilelab.sim.record import record_type
from tilelab.tensix.tables.ethernet_registers import KEPT, QUEUE_WORDS, TRANSMIT_QUEUES
from tilelab.tensix.tables.noc_registers import (
    CONFIG_WORDS,
    COUNTER_WORDS,
    INITIATOR_WORDS,
    INITIATORS,
    NIUS,
    STREAMS,
)

REQUEST_SLOTS: Final = 64
"""Requests that have been initiated and that the network has not taken yet."""
ITSELF: Final = 2
"""A tile's interfaces are connected to nothing but the tile."""

REQUEST = record_type(
    [
        ("niu", "u1"),
        ("initiator", "u1"),  # which of the interface's request initiators,
        ("core", "u1"),  # whose store initiated it, and where
        ("pc", "<u4"),
        ("control", "<u4"),  # NOC_CTRL
        ("tag", "<u4"),  # NOC_PACKET_TAG
        ("length", "<u4"),  # NOC_AT_LEN_BE
        ("data", "<u4"),  # NOC_AT_DATA
        ("target", "<u8"),  # addresses
        ("target_at", "<u4"),  # coordinates: x | y << 6 | start x << 12 | start y << 18
        ("ret", "<u8"),
        ("ret_at", "<u4"),
    ]
)
"""One request as its initiator's registers described it (NoC/MemoryMap.md)."""

NOC = record_type(
    [
        ("connected", "u1"),  # 1: to a chip's network; or ITSELF
        ("initiator", "<u4", (NIUS, INITIATORS, INITIATOR_WORDS)),
        ("config", "<u4", (NIUS, CONFIG_WORDS)),
        ("node_id", "<u4", (NIUS,)),
        ("counter", "<u4", (NIUS, COUNTER_WORDS)),
        ("stream_source", "<u4", (STREAMS,)),
        ("stream_start", "<u4", (STREAMS,)),
        ("stream_size", "<u4", (STREAMS,)),
        ("stream_space", "<u4", (STREAMS,)),
        ("core", "u1"),  # whose store this is, and where
        ("pc", "<u4"),
        ("requests", "<u4"),
        ("held", "<u4"),  # of these, how many the network has seen and keeps back
        ("early", "<u4"),  # 1 + number of a read whose data were used before they came; 0: none
        ("early_address", "<u4"),
        ("request", REQUEST, (REQUEST_SLOTS,)),
        ("ethernet", "u1"),  # 1: this is an Ethernet tile whose link is up
        ("reset_pc", "<u4", (2,)),  # where its cores start,
        ("queue", "<u4", (TRANSMIT_QUEUES, QUEUE_WORDS)),  # registers of its queues,
        ("kept", "<u4", (KEPT,)),  # and those that only keep what is written
    ]
)
