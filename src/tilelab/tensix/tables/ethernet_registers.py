"""Registers that only an Ethernet tile has, as data: what starts its cores, queues to the peer.

A tile whose link is up has them (Blackhole). A register that only keeps what is written to it says
with which value it begins.

Sources: the vendor's ``eth_l1_address_map.h`` and ``ethernet.h`` (tt-metal) by name, ttsim's
register map for what each does. Not modelled: the receive queues' buffers, checksums, retries,
interrupts.
"""

from typing import Final

RISC_CONTROL: Final = 0xFFB14000
RESET_PC: Final = RISC_CONTROL
"""Where the first core starts; the second's register is 8 bytes further. 0: it does not start."""
QUEUES: Final = 0xFFB90000
"""Transmit queues, then receive queues, then the link's own registers."""
REGISTERS_END: Final = 0xFFB98700

QUEUE_BYTES: Final = 0x1000
TRANSMIT_QUEUES: Final = 3
QUEUE_WORDS: Final = 34
COMMAND: Final = 0x04
"""What a transmit queue is to do; reads 0 once that is done."""
STATUS: Final = 0x08
START, SIZE, TARGET, WORD = 0x14, 0x18, 0x1C, 0x44
"""Of a transfer: where its bytes begin, how many, where they go; the word of a COPY_WORD."""
COPY: Final = 2
"""Command: bytes of this tile's memory go to the peer's."""
COPY_WORD: Final = 4
"""Command: a word goes to an address of the peer, which may be a register's."""
READ, WRITE = 1, 2
QUEUE_ACCESS: Final = tuple(
    {
        **{0x00: READ | WRITE, COMMAND: READ | WRITE, STATUS: READ},
        **dict.fromkeys((START, SIZE, TARGET, WORD, 0x6C, 0x80, 0x84), WRITE),
    }.get(4 * word, 0)
    for word in range(QUEUE_WORDS)
)
"""What a program may do with each word of a transmit queue; 0: it is not modelled."""

LINK_UP: Final = 0xFFB9800C
"""PCS_STATUS."""
_KEPT: Final = {
    **dict.fromkeys(range(0xFFB14020, 0xFFB14034, 4), 0),  # interrupt modes
    **dict.fromkeys(range(0xFFB94000, 0xFFB97000, QUEUE_BYTES), 2),  # receive queues' control
    LINK_UP: 1,
    0xFFB98150: 0,  # MAC_RX_ROUTING
    0xFFB98154: 0xA00,  # MAC_RX_ADDR_ROUTING
    # headers of packets, ten: the target's MAC address
    **{0xFFB98218 + 0x80 * entry + 4 * half: 0 for entry in range(10) for half in range(2)},
}
KEPT_AT: Final = tuple(_KEPT)
KEPT_FIRST: Final = tuple(_KEPT.values())
KEPT: Final = len(KEPT_AT)
SECOND_CORE: Final = 8
"""How far the second core's reset pc is behind the first's."""
STACK: Final = 0xFFB02000
"""Where the stack of a core begins that its firmware would have set up."""
