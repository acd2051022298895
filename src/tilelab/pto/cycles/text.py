"""What a clock found, as text, as JSON, and as Perfetto's tracks."""

from typing import Any

from tilelab.pto.cycles.clock import Timed
from tilelab.pto.order import PIPES
from tilelab.pto.timeline import counters, tracks
from tilelab.pto.trace import Result


def _pairs(causes: dict[str, float]) -> str:
    found = sorted(causes.items(), key=lambda pair: -pair[1])
    return ", ".join(f"{cause} {round(cycles):,}" for cause, cycles in found if round(cycles))


def text(timed: Timed) -> str:
    """How long; each pipe's work and stalls by cause; where whole cores wait; what is assumed."""
    pipes = timed.pipes()
    lines = [f"{round(timed.total):,} cycles, {timed.microseconds:.3g} µs"]
    if pipes:
        lines.append(f"{'core':5} {'pipe':5} {'works':>9} {'share':>6} {'stalls':>9}  because of")
    for (core, pipe), (work, stalls) in sorted(pipes.items(), key=_order):
        share = 100 * work / timed.total if timed.total else 0
        still = round(sum(stalls.values()))
        row = f"{core:5} {pipe:5} {round(work):>9,} {share:>5.0f}% {still:>9,}  {_pairs(stalls)}"
        lines.append(row.rstrip())
    for core, waits in timed.waits.items():
        if _pairs(waits):
            lines.append(f"{core} as a whole waits for {_pairs(waits)}")
    assumed = [row for row in timed.figures.leaned_on() if row.known == "assumed"]
    if assumed:
        said = ", ".join(f"{row.name}={row.value:g}" for row in assumed)
        lines.append(f"assumed, as nothing is public: {said} (--set NAME=VALUE)")
    if timed.unknown:
        lines.append(f"no figure of its own has {', '.join(sorted(timed.unknown))}: taken as other")
    lines.append("of whole programs only flash attention was compared with a card")
    return "\n".join(lines) + "\n"


def _order(item: tuple[tuple[str, str], Any]) -> tuple[str, int]:
    core, pipe = item[0]
    return core, PIPES.index(pipe)


def causes(cycles: dict[str, float]) -> list[dict[str, Any]]:
    """Causes with their cycles, for JSON."""
    return [{"cause": cause, "cycles": number} for cause, number in cycles.items()]


def as_dict(timed: Timed) -> dict[str, Any]:
    """The same for JSON, with every figure used and its source."""
    return {
        "total": timed.total,
        "microseconds": timed.microseconds,
        "pipes": [
            {"core": core, "pipe": pipe, "works": work, "stalls": causes(stalls)}
            for (core, pipe), (work, stalls) in sorted(timed.pipes().items(), key=_order)
        ],
        "waits": [
            {"core": core, **one} for core, waits in timed.waits.items() for one in causes(waits)
        ],
        "figures": [vars(row) for row in timed.figures.leaned_on()],
        "without_figure": sorted(timed.unknown),
    }


def perfetto(result: Result, timed: Timed) -> dict[str, Any]:
    """Trace-event JSON in cycles: a track for each core's pipe, its stalls, and each ring's tiles.

    A cycle is shown as a microsecond, which is Perfetto's unit.
    """
    pipes = [key for key, _ in sorted(timed.pipes().items(), key=_order)]
    events = tracks("PTO cluster, cycles", [f"{core} PIPE_{pipe}" for core, pipe in pipes])
    for one in timed.busy:
        place = {"ph": "X", "pid": 1, "tid": pipes.index((one.core, one.pipe))}
        if one.start > one.since:
            stall = {"name": one.cause, "cat": "stall", "ts": one.since}
            events.append(place | stall | {"dur": one.start - one.since, "args": {}})
        title = f"{one.op} {one.tile}" if one.tile >= 0 else one.op
        args = {"ring": one.ring, "tile": one.tile, "because": one.cause}
        span = {"name": title, "cat": one.op, "ts": one.start, "dur": one.end - one.start}
        events.append(place | span | {"args": args})
    events += counters(result, [*timed.times, timed.total])
    return {"traceEvents": events, "displayTimeUnit": "ns"}
