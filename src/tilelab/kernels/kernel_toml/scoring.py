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
    """

    sweep: str
    ulp: float | None
    domain: tuple[float, float] | None


def read_scoring(table: Table, inputs: Sequence[str]) -> Scoring:
    """Read the table; BadInputError for a mistake in it."""
    sweep = table.choice("sweep", inputs)
    ulp = table.tolerance("ulp") if table.has("ulp") else None
    domain = table.pair("domain") if table.has("domain") else None
    table.finish()
    return Scoring(sweep, ulp, domain)
