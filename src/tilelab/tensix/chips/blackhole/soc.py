"""Blackhole's SoC description.

Boards: Tenstorrent's specifications (docs.tenstorrent.com), which count tiles and DRAM.
"""

from tilelab.tensix.tables.soc import Board, Soc, View

ENDPOINTS = (2, 0, 0, 0, 2, 2, 2, 2)
"""Of each bank: the tile that NoC 0 uses; NoC 1 uses tile 1."""

SOC = Soc(
    name="BLACKHOLE",
    grid=(17, 12),
    arc=(8, 0),
    pcie=((2, 0), (11, 0)),
    dram=tuple(
        tuple((x, y) for y in rows)
        for x in (0, 9)
        for rows in ((0, 1, 11), (2, 10, 3), (9, 4, 8), (5, 7, 6))
    ),
    views=tuple(View(bank, (at, 1), (at, 1), 0) for bank, at in enumerate(ENDPOINTS)),
    view_bytes=4080 << 20,
    ethernet=tuple((x, 1) for x in (1, 16, 2, 15, 3, 14, 4, 13, 5, 12, 6, 11, 7, 10)),
    router_only=(
        *((x, 0) for x in (1, 3, 4, 5, 6, 7, 10, 12, 13, 14, 15, 16)),
        *((8, y) for y in range(1, 12)),
    ),
    bank_bytes=4080 << 20,
    boards={
        "p100a": Board((12, 10), (11, 10), 7),
        "p150a": Board((14, 10), (13, 10), 8),
    },
)
