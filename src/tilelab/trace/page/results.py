"""A run's outputs as the page shows them: got and expected, as heat maps and tables."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from tilelab.kernels.outputs import OutputResult
from tilelab.trace.page.columns import Numbers

MOST_ELEMENTS = 1 << 20
"""Of all outputs that a page takes in."""


def results(outputs: Sequence[OutputResult]) -> tuple[list[dict[str, Any]], dict[str, Numbers]]:
    """What is said of each output, and the columns that hold its values.

    Arrays of more than two dimensions are shown as rows of their last.
    """
    about: list[dict[str, Any]] = []
    columns: dict[str, Numbers] = {}
    left = MOST_ELEMENTS
    for number, output in enumerate(outputs):
        left -= output.values.size
        if left < 0 or not output.values.size:
            continue
        key = f"output{number}"
        columns[f"{key}_got"] = output.values.astype(np.float32).reshape(-1)
        if output.expected is not None:
            columns[f"{key}_expected"] = output.expected.astype(np.float32).reshape(-1)
        width = output.shape[-1] if output.shape else 1
        about.append(
            {
                "name": f"output {number} at {output.address:#x}, {output.format}",
                "key": key,
                "width": width,
                "height": output.values.size // max(width, 1),
                "compared": output.expected is not None,
                "lines": output.lines(),
            }
        )
    return about, columns
