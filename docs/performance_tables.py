"""The generated parts of performance.md, from benchmarks/results.json."""

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).resolve().parents[1] / "benchmarks" / "results.json"
TARGETS = {
    "ttsim": {
        "MVMUL": 10, "ELWADD": 6, "ELWMUL": 6, "SFPMAD": 3, "UNPACR": 3, "PACR": 3,
        "RISC-V 1 core": 30, "RISC-V 4 cores": 8,
    },
    "wolfpine": {"expansion": 100, "MVMUL": 100, "SFPMAD": 100, "RISC-V 1 core": 100},
}  # fmt: skip
"""How many times as fast as another simulator the fast engine is to be."""
LLK_TARGET, GAIN_TARGET, COLD_TARGET, WARM_TARGET = 8, 1.8, 5, 0.3
OTHERS = ("ttsim", "wolfpine", "reference")


@cache
def results() -> dict[str, Any]:
    """What ``tilelab bench --json`` gave."""
    found: dict[str, Any] = json.loads(RESULTS.read_text(encoding="utf-8"))
    return found


def _number(value: float) -> str:
    """Three digits, and no exponent."""
    if value >= 100:
        return f"{value:.0f}"
    return f"{value:.{2 if value < 10 else 1}f}" if value >= 1 else f"{value:.3g}"


def _spread(value: dict[str, float], unit: str = "") -> str:
    low, high = (_number(value[key]) for key in ("low", "high"))
    return f"{_number(value['median'])}{unit} ({low}–{high})"


def _ratio(value: float, target: float | None) -> str:
    """A ratio, bold where it misses its target."""
    shown = _number(value)
    return shown if target is None or value >= target else f"**{shown}**"


def machine() -> Iterator[str]:
    """Yield where it was measured."""
    found = results()["machine"]
    runs = f"load average at the start {found['load']:.1f}" if found["load"] is not None else ""
    yield (
        f"Measured on {found['processor']}, {found['cores']} cores, {found['system']}, "
        f"Python {found['python']}; {runs}."
    )
    for name, why in results()["missing"].items():
        yield f"Not measured: {name}: {why}."


def rates() -> Iterator[str]:
    """Yield every benchmark: rates, ratios, targets."""
    yield "| | fast | vendor's | ratio | target | wolfpine | ratio | target | reference |"
    yield "|---|---|---|---|---|---|---|---|---|"
    for row in results()["benchmarks"]:
        name = row["name"] if row["size"] == 1 else f"{row['name']}, × {row['size']}"
        cells = [f"{name} ({row['unit']})", _rate(row, "fast")]
        for other in OTHERS[:2]:
            target = TARGETS[other].get(row["name"])
            ratio = row["ratios"].get(other)
            cells.append(_rate(row, other))
            cells.append("" if ratio is None else _ratio(ratio, target))
            cells.append(str(target or ""))
        yield f"| {' | '.join([*cells, _rate(row, 'reference')])} |"


def _rate(row: dict[str, Any], name: str) -> str:
    rate = row["rates"].get(name)
    return _spread({key: rate[key] / 1e6 for key in ("median", "low", "high")}) if rate else ""


def memory() -> Iterator[str]:
    """Yield how much memory each benchmark adds to each simulator's process."""
    names = ("fast", *OTHERS)
    yield f"| MiB | {' | '.join(names)} |"
    yield f"|---|{'---|' * len(names)}"
    rows = results()["benchmarks"]
    bases = [[row["memory"][n]["base_mib"] for row in rows if n in row["memory"]] for n in names]
    cells = [f"{max(found):.0f}" if found else "" for found in bases]
    yield f"| process with all imported | {' | '.join(cells)} |"
    for row in rows:
        cells = [_gained(row["memory"].get(name)) for name in names]
        yield f"| {row['name']} | {' | '.join(cells)} |"


def _gained(found: dict[str, float] | None) -> str:
    return f"+{found['peak_mib'] - found['base_mib']:.0f}" if found else ""


def llk() -> Iterator[str]:
    """Yield the LLK set by family, and its sum."""
    found = results()["llk"]
    if found is None:
        yield f"Not measured: {results()['missing'].get('llk', 'not asked for')}."
        return
    total = found["total"]
    if total["ratio"]:
        yield (
            f"All {total['kernels']} kernels: {_spread(total['milliseconds']['fast'], ' ms')} "
            f"against {_spread(total['milliseconds']['ttsim'], ' ms')}, "
            f"**{_spread(total['ratio'])} times as fast** (target {LLK_TARGET})."
        )
        slower = sum(kernel["ratio"]["median"] < 1 for kernel in found["kernels"])
        (worst,) = [kernel for kernel in found["kernels"] if kernel["name"] == found["worst"]]
        yield (
            f"{slower or 'No'} kernel{'s are' if slower > 1 else ' is'} slower than the vendor's; "
            f"the least ahead is `{worst['name']}`, {_spread(worst['ratio'])} times."
        )
        if cold := found.get("cold"):
            times = (cold["milliseconds"][name]["median"] for name in ("fast", "ttsim"))
            own, other = (_number(value) for value in times)
            yield f"The first time in a process, once: {own} ms against {other} ms."
        yield ""
    yield "| family | kernels | fast, ms | vendor's, ms | ratio |"
    yield "|---|---|---|---|---|"
    for family in found["families"]:
        times = family["milliseconds"]
        cells = [_spread(times[name]) if name in times else "" for name in ("fast", "ttsim")]
        ratio = _spread(family["ratio"]) if family["ratio"] else ""
        yield f"| {family['name']} | {family['kernels']} | {' | '.join(cells)} | {ratio} |"


def growth() -> Iterator[str]:
    """Yield rates by length of a run, and milliseconds by number of tiles."""
    rows = results()["length"] or []
    yield "| | units in a run | fast, M/s | vendor's, M/s |"
    yield "|---|---|---|---|"
    for row in rows:
        units = row["rates"]["fast"]["units"] / 1e6
        cells = [_rate(row, name) for name in ("fast", "ttsim")]
        yield f"| {row['name']} | {_number(units)} M | {' | '.join(cells)} |"
    yield ""
    yield "| tiles in a process | ms for each | memory, MiB |"
    yield "|---|---|---|"
    for row in results()["tiles"] or []:
        yield (
            f"| {row['tiles']} | {_spread(row['milliseconds_each'])} | {_gained(row['memory'])} |"
        )


def timed_chip() -> Iterator[str]:
    """Yield how a chip under the cycle clock grows, from ``benchmarks/bench_timed_chip.py``."""
    rows = json.loads((RESULTS.parent / "timed_chip.json").read_text(encoding="utf-8"))
    yield "| `ttnn` | tiles | cycles | NoC requests | untimed, s | timed, s | MiB |"
    yield "|---|---|---|---|---|---|---|"
    for row in rows:
        cells = [row["program"], str(row["tiles"])]
        cells += [f"{row[name]:,}" for name in ("cycles", "requests")]
        cells += [_number(row[name]) for name in ("untimed", "timed")]
        cells.append(f"{row['mib']:,}")
        yield f"| {' | '.join(cells)} |"


def start() -> Iterator[str]:
    """Yield starts in seconds of processor time, and the sweep in seconds of wall time."""
    starts, sweep = results()["start"], results()["sweep"]
    if starts:
        yield "| processor time | measured | target |"
        yield "|---|---|---|"
        for what, key, target in (
            ("`tilelab run examples/matmul`, nothing compiled", "cold", COLD_TARGET),
            ("the same, warm", "warm", WARM_TARGET),
            ("`python -c 'import numpy'`, to compare", "python", None),
        ):
            yield f"| {what} | {_spread(starts[key], ' s')} | {f'{target} s' if target else ''} |"
        yield ""
    if sweep:
        yield "| wall time | measured | target |"
        yield "|---|---|---|"
        for what, key in (("`--jobs 1`", "one_process"), ("`--jobs 2`", "two_processes")):
            yield f"| `tilelab run` over two kernels, {what} | {_spread(sweep[key], ' s')} | |"
        yield f"| gain of the second process | {_spread(sweep['gain'])} times | {GAIN_TARGET} |"
        other = _spread(sweep["machine_gain"])
        yield f"| the same for two loops in plain Python | {other} times | |"


PARTS = {
    "machine": machine,
    "rates": rates,
    "memory": memory,
    "llk": llk,
    "growth": growth,
    "timed-chip": timed_chip,
    "start": start,
}
