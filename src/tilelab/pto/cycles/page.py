"""A run's time as a drawing: rows for each core's pipes, with stalls by cause, and for slots."""

from html import escape

from tilelab.pto.cycles.clock import Timed
from tilelab.pto.cycles.text import text
from tilelab.pto.order import PIPES
from tilelab.pto.timeline import lifetimes
from tilelab.pto.trace import Result

LIMIT = 2000  # instructions drawn
LEFT, WIDTH, LANE, BAR = 150, 1000, 30, 18
KINDS = {"TPUSH": "push", "TALLOC": "push", "TPOP": "pop", "TFREE": "free"}


def html(result: Result, timed: Timed) -> str:
    """A section of the report page."""
    cut = len(timed.busy) > LIMIT
    said = f"<p class=soft>The first {LIMIT} of {len(timed.busy)} instructions are drawn.</p>"
    drawing = _drawing(result, timed)
    table = f"<pre>{escape(text(timed))}</pre>"
    return f"<h2>Time</h2>{said if cut else ''}<div class=scroll>{drawing}</div>{table}"


def _drawing(result: Result, timed: Timed) -> str:
    drawn = timed.busy[:LIMIT]
    end = max((one.done for one in drawn), default=1) or 1
    tracks = sorted(timed.pipes(), key=lambda key: (key[0], PIPES.index(key[1])))
    lives = lifetimes(result)
    slots = sorted({(ring, slot) for ring, slot, *_ in lives})
    top = {key: 30 + LANE * index for index, key in enumerate(tracks)}
    base = 40 + LANE * len(tracks)
    rows = {key: base + 24 * index for index, key in enumerate(slots)}
    height = base + 24 * len(slots) + 10

    def x(time: float) -> float:
        return LEFT + min(time, end) / end * WIDTH

    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{LEFT + WIDTH + 30}" height="{height}" '
        f'role="img" aria-label="{round(end)} cycles">'
    ]
    for part in range(11):
        at = x(end * part / 10)
        out.append(f'<line class=rule x1="{at:.1f}" x2="{at:.1f}" y1="22" y2="{height}"/>')
        label = f"{round(end * part / 10):,}"
        out.append(f'<text class=axis x="{at:.1f}" y="15" text-anchor="middle">{label}</text>')
    for core, pipe in tracks:
        out.append(f'<text x="8" y="{top[core, pipe] + 14}">{core} PIPE_{pipe}</text>')
    for one in drawn:
        y = top[one.core, one.pipe]
        tip = f"{one.op} {one.tile if one.tile >= 0 else ''} {one.ring}: {round(one.start)} to "
        tip += f"{round(one.end)}"
        if one.start > one.since:
            width = max(x(one.start) - x(one.since), 0.2)
            why = f"<title>{round(one.start - one.since)} cycles: {escape(one.cause)}</title>"
            out.append(
                f'<rect class=block x="{x(one.since):.1f}" y="{y + 6}" width="{width:.1f}" '
                f'height="{BAR - 12}">{why}</rect>'
            )
        width = max(x(one.end) - x(one.start), 0.5)
        out.append(
            f'<rect class={KINDS.get(one.op, "other")} x="{x(one.start):.1f}" y="{y}" '
            f'width="{width:.1f}" height="{BAR}"><title>{escape(tip)}</title></rect>'
        )
    times = [*timed.times, timed.total]
    for (ring, slot), y in rows.items():
        out.append(f'<text x="8" y="{y + 13}">{escape(ring)} [{slot}]</text>')
    for ring, slot, tile, written, released in lives:
        if times[written] <= end:
            first, last = x(times[written]), x(times[released])
            out.append(
                f'<rect class=tile x="{first:.1f}" y="{rows[ring, slot]}" height="16" '
                f'width="{max(last - first, 0.5):.1f}"><title>tile {tile}</title></rect>'
            )
    return "".join([*out, "</svg>"])
