"""Intervals of families that were never seen: each family's rows, by what the others are off by.

The spread that a mechanism states is of the rows that it was held to. How much such spreads are
worth for what nobody has measured is tried out: leave a family out, take the spread that the other
families of its kind would state, and see how many of its rows lie within.
"""

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tilelab.calibrate import pto
from tilelab.tensix.tables import mechanisms as known

COVERED = 0.9
"""The part of the other families' rows that a spread covers."""
SINGLE, WHOLE, CHIPS = "single instructions and loops", "whole kernels", "chips"
_KINDS = {
    WHOLE: (known.SFPU_KERNEL, known.LLK_KERNEL, known.MATMUL_TILES, known.COUNTERS),
    CHIPS: (
        known.NOC,
        known.NOC_ZONE,
        known.NOC_PACKET,
        known.ISSUE_LOOP,
        known.DRAM_CHANNEL,
        known.DRAM_SPREAD,
        known.GEMM,
    ),
    "PTO": (pto.MECHANISM,),
}
KINDS = {one.name: kind for kind, mechanisms in _KINDS.items() for one in mechanisms}
"""What a mechanism's rows are of, if not of a single instruction or loop."""
NOT_MEASURED = (known.DOCUMENTED.name, known.UNKNOWN.name)
"""Figures of documents, and rows of no family."""


@dataclass(frozen=True)
class LeftOut:
    """A family that was left out: the spread of the others, in percent, and rows within it."""

    kind: str
    family: str
    rows: int
    spread: float
    inside: int


def left_out(rows: Sequence[Mapping[str, Any]]) -> list[LeftOut]:
    """Each family of which others of its kind were asked; a family is a mechanism's rows.

    ``rows`` are what ``--json`` gives.
    """
    kinds: dict[str, dict[str, list[float]]] = defaultdict(lambda: defaultdict(list))
    for row in rows:
        mechanism, error = row["mechanism"], row["error"]
        if error is not None and mechanism not in NOT_MEASURED:
            kinds[KINDS.get(mechanism, SINGLE)][mechanism].append(_of_predicted(error))
    found = []
    for kind, families in kinds.items():
        for family, own in families.items():
            others = [off for name, offs in families.items() if name != family for off in offs]
            if others:
                spread = covering(others)
                found.append(
                    LeftOut(kind, family, len(own), spread, sum(off <= spread for off in own))
                )
    return found


def covering(offs: Sequence[float]) -> float:
    """What so many of these, and of one more that is alike, are expected not to exceed."""
    ordered = sorted(offs)
    return ordered[min(len(ordered), math.ceil(COVERED * (len(ordered) + 1))) - 1]


def _of_predicted(error: float) -> float:
    """An error in percent of silicon's figure as percent of the prediction, as intervals are."""
    return 100 * abs(error) / (100 + error) if error > -100 else math.inf
