"""The generated parts of chip-compared.md: ttnn's results on the chip beside NumPy's."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

DATA = Path(__file__).resolve().parent.parent / "tests" / "data"
FIGURES = DATA / "ttnn_models.json"
SURVEY = DATA / "ttnn_survey.json"


def models() -> Iterator[str]:
    """Yield each program's largest error on both chips."""
    chips = json.loads(FIGURES.read_text(encoding="utf-8"))
    yield "| program | largest result | Blackhole's error | Wormhole's error |"
    yield "|---|---|---|---|"
    for name, first in chips["blackhole"].items():
        other = chips["wormhole"][name]
        yield f"| {name} | {first['largest']:.4g} | {first['error']:.2g} | {other['error']:.2g} |"


def survey() -> Iterator[str]:
    """Yield, of each chip and type, how many cases had each verdict."""
    yield "| chip | type | right | the host refuses | others |"
    yield "|---|---|---|---|---|"
    for chip, found in json.loads(SURVEY.read_text(encoding="utf-8")).items():
        for kind, verdicts in found["types"].items():
            others = [f"{n} {v}" for v, n in verdicts.items() if v not in ("right", "refused")]
            right, refused = (verdicts.get(verdict, 0) for verdict in ("right", "refused"))
            told = "; ".join(others) or "none"
            yield f"| {chip.capitalize()} | {kind} | {right} | {refused} | {told} |"
        tried = sum(sum(verdicts.values()) for verdicts in found["types"].values())
        yield f"| {chip.capitalize()} | {tried} of {found['of']} tried | | | |"


PARTS: dict[str, Callable[[], Iterator[str]]] = {"ttnn-models": models, "ttnn-survey": survey}
