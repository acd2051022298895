"""Wormhole's tiles, and what a host finds of it.

Sources: the vendor's ``soc_descriptors`` for places; tt-isa-documentation, WormholeB0/NoC for windows and
registers; ttsim for what configuration space and ARC's telemetry say.
"""

from tilelab.tensix.tables.layout import MIB, EthernetTiles, HostSide, Layout, Windows, telemetry

TELEMETRY = 0x8_1000_0100
TAGS = {
    1: 0x180, 2: 1, 3: 1, 4: 0, 11: 0x280000, 13: 0x230000, 14: 1000, 15: 900, 16: 540,
    21: 0xFFFF, 22: 0x555, 28: 0x12040000, 32: 1, 52: 0,
}  # fmt: skip
"""Telemetry by tag: board id, temperatures, clocks, enabled tiles, firmware's version, ..."""

COLUMNS = dict(zip(range(18, 26), (1, 2, 3, 4, 6, 7, 8, 9), strict=True))

ETHERNET = EthernetTiles(
    places=tuple((x, y) for y in (16, 17) for x in range(18, 26)),
    memory=256 * 1024,
    words={0x1104: 3},
    registers=(),
    reset_bits=0x0800,
    go_message=0x2490,
    columns=COLUMNS,
    rows={16: 0, 17: 6},
    unlinked_run=1,
)

HOST = HostSide(
    config={
        **{0x00: 0x401E1E52, 0x10: 0x00000004, 0x14: 1, 0x18: 0x20000004, 0x1C: 1},
        **{0x20: 0x00000004, 0x24: 8},
    },
    bar0=0x1_0000_0000,
    bar2=0x1_2000_0000,
    windows=(
        Windows(0, 156, 0, MIB),
        Windows(156, 10, 156 * MIB, 2 * MIB),
        Windows(166, 20, 176 * MIB, 16 * MIB),
    ),
    entries=0x1FC00000,
    entry_bytes=8,
    address_bits=36,
    noc_bits=1,
    registers={
        **{0x1FF30060: 0xC0DE0001, 0x1FF30074: 0, 0x1FEF84D4: 0, 0x1FF3006C: 0, 0x1FF30070: 0},
        **{0x1FF30100: 0, 0x1FF50100: 0x4000},
    },
    mailbox=0x1FF30074,
    mailbox_bell=0x1FF30100,
    translation=0x1200,
)

DRAM = (
    ((0, 0), (0, 1), (0, 11)),
    ((0, 5), (0, 6), (0, 7)),
    ((5, 0), (5, 1), (5, 11)),
    ((5, 2), (5, 9), (5, 10)),
    ((5, 3), (5, 4), (5, 8)),
    ((5, 5), (5, 6), (5, 7)),
)
"""Physical places of each bank."""

LAYOUT = Layout(
    columns=COLUMNS,
    rows=dict(zip(range(18, 28), (1, 2, 3, 4, 5, 7, 8, 9, 10, 11), strict=True)),
    dram={place: bank for bank, places in enumerate(DRAM) for place in places},
    dram_bytes=2048 * MIB,
    mirrored_below=16,
    pcie=(0, 3),
    pcie_flag=35,
    arc=(0, 10),
    arc_words={
        **{0x8_1000_00C4: 0x12040000, 0x8_8003_01D0: 0x10000100, 0x8_8003_01D4: 0x10000200},
        **telemetry(TAGS, TELEMETRY + 4, 0x8_1000_0200),
    },
    ethernet=ETHERNET,
    host=HOST,
)
