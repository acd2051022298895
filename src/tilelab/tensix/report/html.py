"""Small HTML for notebooks: tables without script or network."""

from collections.abc import Iterable
from html import escape

SHOWN = 64
"""Rows of a long table that are shown."""


def table(heads: Iterable[str], rows: Iterable[Iterable[object]], caption: str = "") -> str:
    """A table; what it holds is escaped."""
    top = "".join(f"<th style='text-align:left'>{escape(head)}</th>" for head in heads)
    body = "".join(
        "<tr>" + "".join(f"<td style='text-align:left'>{_cell(c)}</td>" for c in row) + "</tr>"
        for row in rows
    )
    title = f"<caption style='text-align:left'>{escape(caption)}</caption>" if caption else ""
    return f"<table>{title}<thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"


def _cell(value: object) -> str:
    if isinstance(value, Html):
        return value.text
    return escape(f"{value:,}" if isinstance(value, int) else str(value))


class Html:
    """Text that is HTML already."""

    def __init__(self, text: str) -> None:
        self.text = text

    def _repr_html_(self) -> str:
        return self.text
