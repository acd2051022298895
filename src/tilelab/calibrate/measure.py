"""What a series of measurements says: the cost of one step, without what surrounds it."""

from collections.abc import Sequence
from statistics import fmean

Point = tuple[int, int]
"""How many steps, and the cycles that they took."""


def slope(points: Sequence[Point]) -> float:
    """Cycles of one step more: least squares."""
    mean_x, mean_y = (fmean(column) for column in zip(*points, strict=True))
    spread = sum((x - mean_x) ** 2 for x, _ in points)
    return sum((x - mean_x) * (y - mean_y) for x, y in points) / spread
