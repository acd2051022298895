"""How else a run may begin on a card: what no program decides, and loops' speeds depend on.

On cards one loop has two or more stable speeds, chosen by where in its lines of 16 bytes the code
lies (tt-metal#55169), by how far apart the cores begin (tt-metal#51898), by whom arbiters served
last, which lasts until the chip is reset (tt-metal#51902), and by the rhythm in which L1 adds what
packers bring (tt-metal#51901). A placement sets all four. It changes when things happen, and
no result.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from tilelab.report.what_if import Supposed
from tilelab.sim.errors import BadInputError
from tilelab.tensix.tables import causes
from tilelab.tensix.tile.tile import Tile


@dataclass(frozen=True)
class Placement:
    """A way to begin."""

    shift: int = 0
    """Bytes by which all code lies further on in its lines."""
    later: tuple[int, int, int] = (0, 0, 0)
    """Cycles by which each TRISC begins later."""
    served: int = 0
    """The thread, and the core, that arbiters served last."""
    adds_at_once: int = 0
    """1: L1 is in the rhythm in which a packer's additions cost nothing (tt-metal#51901)."""


PLACEMENTS: Final = (
    Placement(),
    Placement(shift=4),
    Placement(shift=8),
    Placement(shift=12),
    Placement(later=(0, 1, 2), served=1, adds_at_once=1),
    Placement(later=(3, 0, 7), served=2),
    Placement(shift=4, later=(5, 11, 0), served=1, adds_at_once=1),
    Placement(shift=12, later=(0, 6, 13), served=2),
)
"""By number; the first is as the kernel is."""
NOT_PUBLIC: Final = "how L1 chooses between unpackers, packers and cores is not public"


@dataclass(frozen=True)
class Levels:
    """The cycles that placements take."""

    cycles: dict[int, int]
    """By the placement's number."""
    failed: tuple[Supposed, ...] = ()
    """Those that do not end as the first does: the kernel has a race."""

    @property
    def low(self) -> int:
        """The fewest."""
        return min(self.cycles.values())

    @property
    def high(self) -> int:
        """The most."""
        return max(self.cycles.values())

    def document(self) -> list[dict[str, Any]]:
        """An object for each placement, for JSON; those that failed are last."""
        ran = [{"placement": n, "cycles": cycles} for n, cycles in self.cycles.items()]
        return [*ran, *({"text": one.text, "reason": one.reason} for one in self.failed)]

    def decided_by(self) -> str:
        """By how much each of what a placement sets moves the cycles, at most."""
        first = self.cycles[0]
        moved = {"code in its lines": 0, "who begins and is served first": 0}
        for number, cycles in self.cycles.items():
            same_start = PLACEMENTS[number].later == (0, 0, 0)
            if same_start or not PLACEMENTS[number].shift:
                name = tuple(moved)[not same_start]
                moved[name] = max(moved[name], abs(cycles - first))
        said = (f"{name} {n / max(first, 1):.1%}".replace("%", " %") for name, n in moved.items())
        return f"{', '.join(said)}; {NOT_PUBLIC}"


def place(tile: Tile, number: int) -> None:
    """Have a new tile begin as a placement says; BadInputError for another number or clock."""
    if not 0 <= number < len(PLACEMENTS):
        raise BadInputError(f"--placement {number}: 0 to {len(PLACEMENTS) - 1}")
    if not tile.state.s.cycle.on:
        raise BadInputError('a placement needs the cycle clock: Tile(..., clock="cycle")')
    placement, cycle = PLACEMENTS[number], tile.state.s.cycle
    cycle.code_at = placement.shift
    for core, cycles in enumerate(placement.later):
        cycle.core_free[core] = cycles
        cycle.core_why[core] = causes.CORE_RESET
    for port in range(len(cycle.port_winner)):
        cycle.port_winner[port] = placement.served
    for port in range(len(cycle.port_last)):
        cycle.port_last[port] = placement.served
    cycle.l1_last = placement.served & 1
    cycle.adds_at_once = placement.adds_at_once


def levels(first: int, others: Sequence[Supposed]) -> Levels:
    """The levels of a run as it is, and of what came of the other placements, in their order."""
    found = {number: one.cycles for number, one in enumerate(others, 1) if one.cycles is not None}
    return Levels({0: first, **found}, tuple(one for one in others if one.cycles is None))
