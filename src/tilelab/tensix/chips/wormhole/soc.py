"""Wormhole's SoC description.

Boards: Tenstorrent's specifications (docs.tenstorrent.com), which count tiles; n300: of each chip.
"""

from tilelab.tensix.chips.wormhole.layout import DRAM
from tilelab.tensix.tables.soc import Board, Soc, View

HALF = 1 << 30
ENDPOINTS = ((0, 2, 1), (1, 0, 2), (0, 1, 2), (2, 0, 1), (1, 2, 0), (1, 0, 2))
"""Of each bank: the tile that Ethernet tiles use, and those for its two halves."""

SOC = Soc(
    name="WORMHOLE_B0",
    grid=(10, 12),
    arc=(0, 10),
    pcie=((0, 3),),
    dram=DRAM,
    views=tuple(
        View(bank, (ethernet, ethernet), (at, at), offset)
        for bank, (ethernet, *halves) in enumerate(ENDPOINTS)
        for offset, at in zip((0, HALF), halves, strict=True)
    ),
    view_bytes=HALF,
    ethernet=tuple((x, y) for y in (0, 6) for x in (9, 1, 8, 2, 7, 3, 6, 4)),
    router_only=((0, 2), (0, 4), (0, 8), (0, 9)),
    bank_bytes=2 * HALF,
    boards={"n150": Board((8, 9), (8, 8), 12), "n300": Board((8, 8), (8, 7), 12)},
)
