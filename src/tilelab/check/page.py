"""What the checker found as one HTML page, with the wait-for graph drawn; no script, no network."""

from collections.abc import Iterable, Iterator, Mapping
from html import escape

from tilelab.check.findings import Finding
from tilelab.check.run import Checked
from tilelab.check.wait_picture import picture

STYLE = """
:root { color-scheme: light dark; --ground: #ffffff; --panel: #f5f6f8; --line: #d9dce2;
  --text: #1b1f27; --quiet: #5d6675; --accent: #2459c9; --bad: #b3261e; --good: #1a7a3c; }
@media (prefers-color-scheme: dark) { :root { --ground: #14171c; --panel: #1c2027;
  --line: #343a45; --text: #e6e9ef; --quiet: #9aa4b5; --accent: #7aa2ff; --bad: #ff8a80;
  --good: #7ddc9a; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 16px; max-width: 1100px; background: var(--ground);
  color: var(--text); font: 14px/1.45 system-ui, "Segoe UI", Roboto, sans-serif; }
h1 { font-size: 17px; } h2 { font-size: 15px; margin: 24px 0 8px; }
article { border: 1px solid var(--line); border-left: 4px solid var(--bad); border-radius: 6px;
  background: var(--panel); padding: 8px 14px; margin: 10px 0; overflow-x: auto; }
h3 { font-size: 14px; margin: 2px 0 6px; color: var(--bad); }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 2px 12px; margin: 6px 0; }
dt { color: var(--quiet); } dd { margin: 0; overflow-wrap: anywhere; }
code, pre { font: 12.5px/1.45 ui-monospace, monospace; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; margin: 6px 0; }
.good { color: var(--good); } .bad { color: var(--bad); } .quiet { color: var(--quiet); }
.likely { font-weight: 600; }
svg { max-width: 100%; height: auto; display: block; margin: 8px 0; }
svg text { fill: var(--text); font: 12px system-ui, sans-serif; }
svg .what { fill: var(--quiet); font-size: 11px; }
svg rect { fill: var(--ground); stroke: var(--line); }
svg .edge { stroke: var(--quiet); fill: none; stroke-width: 1.4; }
svg .head { fill: var(--quiet); }
svg .around.edge { stroke: var(--bad); stroke-width: 2; }
svg .around.head { fill: var(--bad); } svg rect.around { stroke: var(--bad); stroke-width: 2; }
"""


def page(runs: Iterable[Checked], more: Mapping[str, str] | None = None, style: str = "") -> str:
    """The page for some runs; ``more``: HTML to go below those of these names, with its style."""
    below = more or {}
    body = "".join(part for run in runs for part in (*_run(run), below.get(run.name, "")))
    return (
        "<!doctype html><html lang='en'><head><meta charset='utf-8'>"
        "<meta name='viewport' content='width=device-width, initial-scale=1'>"
        f"<title>tilelab check</title><style>{STYLE}{style}</style></head>"
        f"<body><h1>tilelab check</h1>{body}</body></html>\n"
    )


def _run(run: Checked) -> Iterator[str]:
    count = len(run.findings)
    said = f"{count} finding{'s' if count > 1 else ''}" if count else "nothing found"
    ended = "did not end" if run.result is None else f"{run.result.cycles:,} cycles"
    kind = "bad" if count or run.result is None else "good"
    yield f"<section><h2>{escape(run.name)}: <span class='{kind}'>{said}</span>, {ended}</h2>"
    if run.result is not None and not run.result.passed:
        yield "<p class='bad'>An output is wrong.</p>"
    for finding in run.findings:
        yield from _finding(finding)
    yield from (f"<p class='quiet'>note: {escape(note)}</p>" for note in run.notes)
    yield "</section>"


def _finding(finding: Finding) -> Iterator[str]:
    times = f", {finding.count} times" if finding.count > 1 else ""
    yield f"<article id='{escape(finding.check)}'><h3>{escape(finding.check)}</h3>"
    yield f"<p>{escape(finding.at + finding.message)} "
    yield f"<span class='quiet'>(cycle {finding.cycle:,}{times})</span></p><dl>"
    for number, party in enumerate(finding.parties):
        relation = f" {finding.relation}" if number and finding.relation else ""
        name = f"the other{relation}" if number else "this"
        where = f"<b>{escape(party.line)}</b> " if party.line else ""
        yield f"<dt>{escape(name)}</dt><dd>{where}<code>{escape(party.assembly)}</code> "
        origin = party.origin if party.origin != party.line else ""
        yield f"{escape(party.actor)} <span class='quiet'>{escape(origin)}</span></dd>"
    for title, text in (("manual", finding.page), ("cure", finding.cure)):
        if text:
            yield f"<dt>{title}</dt><dd>{escape(text)}</dd>"
    yield "</dl>"
    detail = finding.detail
    if finding.graph is not None:
        if finding.graph.most_likely:
            yield f"<p class='likely'>Most likely: {escape(finding.graph.most_likely)}</p>"
        yield picture(finding.graph)
        detail = detail[len(finding.graph.lines()) :]
    if detail:
        lines = escape("\n".join(detail))
        yield f"<details><summary>where everybody is</summary><pre>{lines}</pre></details>"
    yield "</article>"
