"""What the checker found as one HTML page, with the wait-for graph drawn; no script, no network."""

from collections.abc import Iterable, Iterator, Mapping
from html import escape
from importlib.resources import files

from tilelab.check.findings import Finding
from tilelab.check.run import Checked
from tilelab.check.wait_picture import picture

STYLE = files(__package__).joinpath("page.css").read_text("utf-8")


def page(runs: Iterable[Checked], more: Mapping[str, str] | None = None, style: str = "") -> str:
    """The page for some runs; ``more``: HTML to go below those of these names, with its style."""
    below = more or {}
    body = "".join(part for run in runs for part in (*_run(run), below.get(run.name, "")))
    return (
        "<!doctype html><html lang='en'><head><meta charset='utf-8'>"
        "<meta name='viewport' content='width=device-width, initial-scale=1'>"
        f"<title>tilelab check</title><style>\n{STYLE}{style}</style></head>"
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
    relation = f"the other {finding.relation}".rstrip()
    named = list(zip(("this", relation), finding.parties, strict=False))
    for name, party in [*named, ("told by", finding.told_by)]:
        if party is None:
            continue
        where = f"<b>{escape(party.line)}</b>{escape(party.called)} " if party.line else ""
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
