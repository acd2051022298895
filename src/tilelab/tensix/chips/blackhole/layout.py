"""Blackhole's tiles, and what a host finds of it.

Sources: the vendor's ``soc_descriptors`` for places; tt-isa-documentation, BlackholeA0/NoC for windows and
registers; ttsim for what configuration space and ARC's telemetry say.
"""

from tilelab.tensix.chips.blackhole.several import LAUNCH, SEVERAL, TAGS, telemetry_words
from tilelab.tensix.tables.layout import MIB, EthernetTiles, HostSide, Layout, Windows

ETHERNET = EthernetTiles(
    places=tuple((x, 25) for x in range(20, 32)),
    memory=512 * 1024,
    words={
        **{0x7CC00: 0xC0DEA000, 0x7CC04: 2, 0x7CFBC: 0x010600},
        # functions of its firmware that programs call: they return
        **{0x7CF00: 0x71574, 0x7CF04: 0x759AC, 0x7CF08: 0x75414},
        **dict.fromkeys((0x71574, 0x759AC, 0x75414), 0x8067),
    },
    registers=(0xFFB14000, *range(0xFFB14020, 0xFFB14034, 4)),
    reset_bits=0x1800,
    go_message=0x590,
    columns={20 + tile: 16 - tile // 2 if tile & 1 else 1 + tile // 2 for tile in range(12)},
    rows={25: 1},
    unlinked_run=0,
    launch=LAUNCH,
)

HOST = HostSide(
    config={
        **{0x00: 0xB1401E52, 0x10: 0x00000004, 0x14: 1, 0x18: 0x20000004, 0x1C: 1},
        **{0x20: 0x00000004, 0x24: 8},
    },
    bar0=0x1_0000_0000,
    bar2=0x1_2000_0000,
    windows=(Windows(0, 202, 0, 2 * MIB),),
    entries=0x1FC00000,
    entry_bytes=12,
    address_bits=64,
    noc_bits=2,
    registers={0x1FD04044: 0x10611002, 0x1FD04100: 0x4000},
    mailbox=0,
    mailbox_bell=0,
    translation=0x1000,
)

LAYOUT = Layout(
    columns={x: x for x in (*range(1, 8), *range(10, 17))},
    rows={y: y for y in range(2, 12)},
    dram={(x, y): 4 * (x - 17) + (y - 12) // 3 for x in (17, 18) for y in range(12, 24)},
    dram_bytes=4096 * MIB,
    mirrored_below=0,
    pcie=(19, 24),
    pcie_flag=60,
    arc=(8, 0),
    arc_words={
        **{0x80030060: 0, 0x80030408: 5},
        **{0x8003042C: 0x10000300, 0x80030430: 0x10000200, 0x80030434: 0x10000100},
        **{0x10000300: 0x10000400, 0x10000304: 0x408},
        **telemetry_words(TAGS),
    },
    ethernet=ETHERNET,
    host=HOST,
    several=SEVERAL,
)
