"""Puts style, script and data into one HTML file that needs no network."""

import json
import re
from collections.abc import Sequence
from functools import partial
from html import escape
from typing import Any

from tilelab.sim.texts import text_of
from tilelab.trace.page.bundle import bundle
from tilelab.trace.page.data import document
from tilelab.trace.recorded import Recorded

ONE_RUN = ("page.html", "app.js")
TWO_RUNS = ("compare.html", "compare.js")
CHIP = ("chip.html", "chip.js")
"""A template and its script: pages of one run, of two, and of a chip."""
DATA_LATER = "@@DATA@@"
"""Stands for the data of a page that a script fills in."""


_asset = partial(text_of, __package__)


def page(recording: Recorded, report: dict[str, Any]) -> str:
    """The page of a run; ``report``: its breakdown, and what came of it.

    That is ``verdict`` (a word), ``problem`` (a line, if something is wrong), ``detail``,
    ``outputs`` and ``warnings`` (more lines).
    """
    data = json.dumps(document(recording, report), separators=(",", ":"))
    return fill(recording.name, data, summary(recording, report))


def summary(recording: Recorded, report: dict[str, Any]) -> str:
    """What a page says where no script runs."""
    lines = [f"{recording.tile.arch.name}, {recording.end:,} cycles"]
    lines += [report[name] for name in ("verdict", "problem") if report.get(name)]
    lines += [*report.get("outputs", []), *report.get("warnings", [])]
    lines += [report["detail"]] if report.get("detail") else []
    chain = report.get("chain", [])
    lines += [f"{'because' if depth else 'bound by'} {line}" for depth, line in enumerate(chain)]
    return "\n".join(lines)


def comparison(runs: Sequence[tuple[Recorded, dict[str, Any]]], told: dict[str, Any]) -> str:
    """The page of two runs; ``runs``: a recording and a report each, as :func:`page` takes them.

    ``told`` is what ``tilelab compare --json`` says of their difference.
    """
    names = [recording.name for recording, _ in runs]
    documents = [document(recording, report) for recording, report in runs]
    data = json.dumps({"runs": documents, "difference": told}, separators=(",", ":"))
    texts = [f"{name}: {summary(*run)}" for name, run in zip(names, runs, strict=True)]
    return fill(" and ".join(names), data, "\n".join([*texts, told["explanation"]]), TWO_RUNS)


def fill(title: str, data: str, text: str, parts: tuple[str, str] = ONE_RUN) -> str:
    """The page with some JSON in it, and a text for browsers that run no scripts."""
    template, entry = parts
    contents = {
        "TITLE": escape(title),
        "STYLE": _asset("style.css") + (_asset("chip.css") if parts == CHIP else ""),
        "SUMMARY": escape(text),
        "HELP": _asset("help.html"),
        "SCRIPT": bundle(entry, _asset),
        "DATA": data.replace("</", "<\\/"),
    }
    return re.sub(r"@@(\w+)@@", lambda found: contents[found[1]], _asset(template))
