"""The report page: one HTML file with the timeline as SVG; no scripts, no network."""

from html import escape
from importlib.resources import files

from tilelab.pto.cycles import page
from tilelab.pto.cycles.clock import Timed
from tilelab.pto.deadlock import DeadlockReport
from tilelab.pto.timeline import Span, arrows, lifetimes, spans
from tilelab.pto.trace import Result
from tilelab.sim.errors import TilelabError

LIMIT = 1500  # events drawn; a longer run is cut and says so
LEFT, UNIT, LANE, BAR = 130, 14, 40, 26

STYLE = files(__package__).joinpath("report.css").read_text("utf-8")


def html(
    result: Result, title: str, error: TilelabError | None = None, timed: Timed | None = None
) -> str:
    """The page of a run; ``error`` is what ended it, if it failed; ``timed`` adds its time."""
    drawn = Result(result.raw[:LIMIT], result.findings, result.flags, result.steps)
    parts = [f"<h1>{escape(title)}</h1>", _verdict(result, error)]
    if len(result.raw) > LIMIT:
        parts.append(f"<p class=soft>The first {LIMIT} of {len(result.raw)} events are drawn.</p>")
    if timed is not None:
        parts.append(page.html(result, timed))
    parts += ["<h2>Timeline</h2>", _key(), f"<div class=scroll>{_svg(drawn)}</div>", _rings(result)]
    if result.findings:
        items = "".join(
            f"<li><b>{escape(f.code)}</b> {escape(f.message)}</li>" for f in result.findings[:200]
        )
        parts.append(f"<h2>Findings</h2><ul>{items}</ul>")
    body = "\n".join(parts)
    return (
        f"<!doctype html><html lang=en><head><meta charset=utf-8><title>{escape(title)}</title>"
        f'<meta name=viewport content="width=device-width"><style>\n{STYLE}</style></head>'
        f"<body>{body}</body></html>\n"
    )


def _verdict(result: Result, error: TilelabError | None) -> str:
    if error is None:
        text = (
            "The program ended; every flag is back at 0."
            if not result.flags
            else ("The program ended, but flags are left standing.")
        )
        return f"<p>{text} {len(result.raw)} events.</p>"
    report = getattr(error, "report", None)
    detail = str(report) if isinstance(report, DeadlockReport) else error.detail
    shown = f"<pre>{escape(detail)}</pre>" if detail else ""
    return f"<p class=bad>{escape(error.summary)}</p>{shown}"


def _key() -> str:
    names = [("push", "TPUSH, TALLOC"), ("pop", "TPOP"), ("free", "TFREE"), ("other", "other"),
             ("block", "blocked on a flag"), ("tile", "slot holds a tile")]  # fmt: skip
    items = "".join(
        f'<span style="background:var(--{name})"></span>{escape(text)}' for name, text in names
    )
    return f"<p class=key>{items}; time: one unit per event</p>"


def _rings(result: Result) -> str:
    rows = result.summary()
    if not rows:
        return ""
    names = ["pushes", "pops", "free_waits", "free_signals", "drained", "blocks", "bytes"]
    head = "".join(f"<th>{name.replace('_', ' ')}</th>" for name in ["ring", *names])
    body = "".join(
        f"<tr><td>{escape(ring)}</td>"
        + "".join(f"<td>{row[name]:,}</td>" for name in names)
        + "</tr>"
        for ring, row in rows.items()
    )
    return f"<h2>Rings</h2><table><tr>{head}</tr>{body}</table>"


def _svg(result: Result) -> str:
    found = spans(result)
    cores = list(dict.fromkeys(["cube", *sorted({span.core for span in found})]))
    lives = lifetimes(result)
    slots = sorted({(ring, slot) for ring, slot, *_ in lives})
    length = max(len(result.raw), 10)
    width = LEFT + length * UNIT + 30
    top = {core: 30 + LANE * index for index, core in enumerate(cores)}
    base = 30 + LANE * len(cores) + 16
    rows = {key: base + 26 * index for index, key in enumerate(slots)}
    height = base + 26 * len(slots) + 10
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" role="img" '
        f'aria-label="timeline of {len(result.raw)} events">'
    ]
    for time in range(0, length + 1, 10):
        x = LEFT + time * UNIT
        out.append(f'<line class=rule x1="{x}" x2="{x}" y1="22" y2="{height}"/>')
        out.append(f'<text class=axis x="{x}" y="15" text-anchor="middle">{time}</text>')
    for core in cores:
        out.append(f'<text x="8" y="{top[core] + 18}">{core}</text>')
    for sent, sender, taken, waiter in arrows(result):
        out.append(_arrow(sent, top[sender], taken, top[waiter]))
    out += [_bar(span, top[span.core]) for span in found if span.ring or span.op == "SYNC"]
    for (ring, slot), y in rows.items():
        out.append(f'<text x="8" y="{y + 14}">{escape(ring)} [{slot}]</text>')
    for ring, slot, tile, start, end in lives:
        x, y, w = LEFT + start * UNIT, rows[ring, slot], max((end - start) * UNIT, 4)
        tip = f"<title>tile {tile} in slot {slot} of {escape(ring)}</title>"
        out.append(
            f'<g><rect class=tile x="{x}" y="{y}" width="{w}" height="18" rx="2"/>{tip}'
            f'<text x="{x + 4}" y="{y + 13}">{tile}</text></g>'
        )
    return "".join([*out, "</svg>"])


def _bar(span: Span, y: int) -> str:
    """One operation: the time it was blocked, then the time it ran."""
    tip = escape("\n".join(str(event) for _, event in span.events))
    x, run = LEFT + span.start * UNIT, LEFT + span.ready * UNIT
    out = [f"<g><title>{tip}</title>"]
    if span.ready > span.start:
        out.append(f'<rect class=block x="{x}" y="{y + 8}" width="{run - x}" height="{BAR - 16}"/>')
    width = LEFT + span.end * UNIT - run
    if width > 0:
        kind = page.KINDS.get(span.op, "other")
        out.append(f'<rect class={kind} x="{run}" y="{y}" width="{width}" height="{BAR}" rx="3"/>')
        short = str(span.tile) if span.tile >= 0 else span.op
        if width >= 7 * len(short) + 4:
            out.append(f'<text class=label x="{run + 4}" y="{y + 17}">{short}</text>')
    return "".join([*out, "</g>"])


def _arrow(sent: int, from_y: int, taken: int, to_y: int) -> str:
    x1, x2 = LEFT + sent * UNIT + UNIT // 2, LEFT + taken * UNIT + 2
    down = to_y > from_y
    y1, y2 = (from_y + BAR, to_y) if down else (from_y, to_y + BAR)
    return f'<path class=arrow d="M{x1} {y1} L{x2} {y2}"/>'
