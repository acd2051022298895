"""The generated part of chip-compared.md: how far ttnn's results on the chip are from NumPy's."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

FIGURES = Path(__file__).resolve().parent.parent / "tests" / "data" / "ttnn_models.json"


def models() -> Iterator[str]:
    """Yield each program's largest error on both chips."""
    chips = json.loads(FIGURES.read_text(encoding="utf-8"))
    yield "| program | largest result | Blackhole's error | Wormhole's error |"
    yield "|---|---|---|---|"
    for name, first in chips["blackhole"].items():
        other = chips["wormhole"][name]
        yield f"| {name} | {first['largest']:.4g} | {first['error']:.2g} | {other['error']:.2g} |"


PARTS: dict[str, Callable[[], Iterator[str]]] = {"ttnn-models": models}
