"""The ``[score]`` table of a kernel.toml: what ``tilelab score`` asks beside the outputs."""

from collections.abc import Sequence
from dataclasses import dataclass

from tilelab.kernels.kernel_toml.table import Table

SWEPT = ("bf16", "fp16", "fp32")
"""Formats whose numbers can be asked for one by one, and whose errors have a size in ulp."""


@dataclass(frozen=True)
class Scoring:
    """``sweep``: the input whose numbers are all asked; ``ulp``: the largest error allowed there.

    ``domain``: the least and the greatest number that is held to it; None: all, and NaN.
    ``baseline``: cycles that another kernel for the same takes.
    """

    sweep: str | None
    ulp: float | None
    domain: tuple[float, float] | None
    baseline: int | None


def read_scoring(table: Table, inputs: Sequence[str]) -> Scoring:
    """Read the table; BadInputError for a mistake in it."""
    baseline = table.number("baseline") if table.has("baseline") else None
    if baseline == 0:
        table.wrong("baseline", "a number of cycles")
    asks = baseline is None or any(map(table.has, ("sweep", "ulp", "domain")))
    sweep = table.choice("sweep", inputs) if asks else None
    ulp = table.tolerance("ulp") if table.has("ulp") else None
    domain = table.pair("domain") if table.has("domain") else None
    table.finish()
    return Scoring(sweep, ulp, domain, baseline)
