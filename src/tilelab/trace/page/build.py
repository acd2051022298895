"""Puts style, script and data into one HTML file that needs no network."""

import json
from importlib.resources import files
from pathlib import Path
from typing import Any

from tilelab.sim.errors import BadInputError
from tilelab.trace.page.data import document
from tilelab.trace.recording import Recording

SCRIPTS = ("palette.js", "model.js", "timeline.js", "panels.js", "frames.js", "app.js")


def _asset(name: str) -> str:
    return (files(__package__) / name).read_text(encoding="utf-8")


def page(recording: Recording, report: dict[str, Any]) -> str:
    """The page of a run; ``report``: its breakdown, and ``verdict`` or ``error``."""
    data = json.dumps(document(recording, report), separators=(",", ":"))
    return fill(recording.name, data)


def fill(title: str, data: str) -> str:
    """The page with some JSON in it."""
    parts = {
        "TITLE": title.replace("&", "&amp;").replace("<", "&lt;"),
        "STYLE": _asset("style.css"),
        "SCRIPT": "\n".join(_asset(name) for name in SCRIPTS),
        "DATA": data.replace("</", "<\\/"),
    }
    text = _asset("page.html")
    for name, value in parts.items():
        text = text.replace(f"@@{name}@@", value)
    return text


def write_page(text: str, path: Path) -> None:
    """Write a page; BadInputError if the file cannot be written."""
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise BadInputError(f"{path}: {error.strerror or error}") from None
