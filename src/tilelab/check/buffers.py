"""Circular buffers when a program has ended: whether both sides have counted the same tiles."""

from collections.abc import Iterator
from typing import Final

import numpy as np

from tilelab.check import shadow
from tilelab.check.counters import CB_LEFT, WATCH
from tilelab.check.engine import CheckedTile
from tilelab.check.findings import Finding, Party, acted, at_end
from tilelab.check.rules import L1_OTHER
from tilelab.formats.placement import Placement
from tilelab.kernels.page_counts import uneven
from tilelab.tensix.tables.figures import PACK_PIPE

PACKERS: Final = range(PACK_PIPE, PACK_PIPE + 4)
"""The packers' pipelines."""


def left_over(tile: CheckedTile) -> Iterator[Finding]:
    """Buffers that hold tiles which one side never counted, or lack tiles which it should have."""
    noted = tile.engine.shadow
    wrong = noted["finding"][: int(noted["found"])]
    known = {int(f["value"]) >> 1 for f in wrong if int(f["rule"]) in WATCH.rules}
    for area in tile.engine.arrays:
        if area.buffer is None or area.buffer in known or tile.is_off(CB_LEFT):
            continue
        index = 2 * area.buffer
        received, acknowledged = (int(noted["counter"][index + side]) for side in (0, 1))
        if text := uneven(area.buffer, area.capacity, received, acknowledged):
            last = index + 1 if acknowledged else index
            yield at_end(tile, CB_LEFT, text, (counted(tile, last), counted(tile, last ^ 1)))
        elif not received and never_pushed(tile, area):
            text = f"no tile received of c_{area.buffer}, though a packer has written there"
            yield at_end(tile, CB_LEFT, text, (counted(tile, index), counted(tile, index + 1)))


def never_pushed(tile: CheckedTile, area: Placement) -> bool:
    """Whether a packer has written a buffer's tiles, meaning to, and nobody ever counted one."""
    assert area.buffer is not None
    noted = tile.engine.shadow
    if not noted["counter_set"][2 * area.buffer] or noted["counted_by"][2 * area.buffer]:
        return False
    strays = [f for f in noted["finding"][: int(noted["found"])] if f["rule"] == L1_OTHER]
    if any(int(stray["value"]) in area.extent for stray in strays):
        return False
    first, last = (at >> shadow.GRANULE_SHIFT for at in (area.extent.start, area.extent.stop))
    marks = tile.engine.l1_shadow["shadow_writer"][first:last].astype(np.uint64)
    writers = marks & np.uint64(shadow.ACTOR_MASK)
    return bool(np.isin(writers >> np.uint64(2), list(PACKERS)).any())


def counted(tile: CheckedTile, index: int) -> Party | None:
    """Who counted a counter last; None if nobody did."""
    return acted(tile, tile.engine.shadow["counted"][index])
