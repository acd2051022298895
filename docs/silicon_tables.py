"""The generated tables of how close the cycle clock is to cards, from tests/data/silicon.json."""

import json
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from statistics import median
from typing import Any

DATA = Path(__file__).resolve().parents[1] / "tests" / "data" / "silicon.json"
GROUPS = {
    "A0": "figures of the documents",
    "A1": "Tensix words, `matmul_tiles`",
    "A2": "RISC-V cores",
    "A3": "LLK kernels",
    "A4": "vector kernels",
    "A6": "performance counters",
}
LIMITS = (5, 10, 15)
FAR = 10


@cache
def figures() -> dict[str, Any]:
    """What ``docs/make_silicon.py`` has kept."""
    found: dict[str, Any] = json.loads(DATA.read_text(encoding="utf-8"))
    return found


def _table(name: Callable[[dict[str, Any]], str], first: str) -> Iterator[str]:
    heads = (first, "figures", "asked", "median error", *(f"within {n} %" for n in LIMITS))
    yield f"| {' | '.join((*heads, 'in our interval'))} |"
    yield f"|{'---|' * (len(heads) + 1)}"
    named: dict[str, list[dict[str, Any]]] = {}
    for row in figures()["rows"]:
        named.setdefault(name(row), []).append(row)
    for head, rows in sorted(named.items(), key=lambda item: min(row["group"] for row in item[1])):
        asked = [row for row in rows if row["error"] is not None]
        errors = [abs(row["error"]) for row in asked]
        within = (str(sum(error <= limit for error in errors)) for limit in LIMITS)
        inside = str(sum(row["inside"] for row in asked))
        middle = f"{median(errors):.1f} %" if errors else ""
        cells = (head, str(len(rows)), str(len(asked)), middle, *within, inside)
        yield f"| {' | '.join(cells)} |"


def groups() -> Iterator[str]:
    """Yield a line for each group of figures, of both chips."""
    yield from _table(lambda row: GROUPS[row["group"]], "")


def chips() -> Iterator[str]:
    """Yield a line for each group and chip."""
    yield from _table(lambda row: f"{GROUPS[row['group']]}: {row['chip']}", "")


def off() -> Iterator[str]:
    """Yield every figure that is off by more than a tenth, or not asked, and why."""
    yield "| figure | card | model | error | why |"
    yield "|---|---|---|---|---|"
    rows = figures()["rows"]
    for row in rows:
        if row["error"] is not None and abs(row["error"]) > FAR:
            cells = (row["what"], row["silicon"], row["predicted"], f"{row['error']:+.0f} %")
            yield f"| {' | '.join(map(_shown, (*cells, row['reason'])))} |"
    for row in rows:
        if row["error"] is None:
            cells = (row["what"], row["silicon"], "", "not asked", row["reason"])
            yield f"| {' | '.join(map(_shown, cells))} |"


def _shown(value: str | float) -> str:
    return f"{value:,.5g}" if isinstance(value, float) else value


def left_out() -> Iterator[str]:
    """Yield how many rows of each kind lie within what the other families are off by."""
    yield "| families of | families | figures | within the others' spread |"
    yield "|---|---|---|---|"
    kinds: dict[str, list[dict[str, Any]]] = {}
    for family in figures()["left_out"]:
        kinds.setdefault(family["kind"], []).append(family)
    for kind, families in kinds.items():
        rows, inside = (sum(one[name] for one in families) for name in ("rows", "inside"))
        yield f"| {kind} | {len(families)} | {rows} | {inside} ({inside / rows:.0%}) |"


def raw() -> Iterator[str]:
    """Yield what the raw points say."""
    yield "| raw points | points | within 5 % | worst |"
    yield "|---|---|---|---|"
    for name, one in figures()["raw"].items():
        yield f"| {name} | {one['points']} | {one['within']} | {one['worst']:.1f} % |"


PARTS = {
    "silicon": groups,
    "silicon-chips": chips,
    "silicon-off": off,
    "silicon-left-out": left_out,
    "silicon-raw": raw,
}
