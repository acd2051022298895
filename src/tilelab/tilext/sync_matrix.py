"""The document's matrix of synchronisation: which mechanism orders whom (``sync_matrix.txt``)."""

from typing import NamedTuple

from tilelab.sim.texts import columns, paragraphs


class Mechanism(NamedTuple):
    """One row: in which of :data:`SCOPES` it synchronises, and what the document says of it."""

    name: str
    scopes: tuple[bool, ...]
    line: int
    en: str
    zh: str


def _read(text: str) -> Mechanism:
    name, marks, line, en, zh = columns(text)
    return Mechanism(name, tuple(mark == "x" for mark in marks), int(line), en, zh)


_SCOPES, _ROWS = paragraphs(__package__, "sync_matrix.txt")
SCOPES = dict(zip(("en", "zh"), zip(*map(columns, _SCOPES), strict=True), strict=True))
MATRIX = tuple(map(_read, _ROWS))
