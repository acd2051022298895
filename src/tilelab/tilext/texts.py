"""Text files beside this module, which the ISA's owners can read and correct: words of the pages,
what operands mean, and which mechanism orders whom.
"""

from functools import cache
from typing import NamedTuple

from tilelab.sim.texts import columns, paragraphs


@cache
def words(language: str) -> dict[str, str]:
    """What pages and diagrams say in "en" or "zh", by what the program calls it: ``words.txt``."""
    chinese = language == "zh"
    return {key: zh if chinese else en for key, en, zh in paragraphs(__package__, "words.txt")}


class Term(NamedTuple):
    """An operand's meaning in both languages; ``zh`` is a phrase of the seed's ``line``."""

    en: str
    zh: str
    line: int


@cache
def terms() -> dict[tuple[str, str], Term]:
    """Return all terms by family or instruction and operand: ``terms.txt``."""
    found = {}
    for row in (row for block in paragraphs(__package__, "terms.txt") for row in block):
        family, operands, en, zh, line = columns(row)
        for key in family.split():
            for operand in operands.split():
                found[key, operand] = Term(en, zh, int(line))
    return found


def meaning(name: str, family: str, operand: str) -> Term | None:
    """Return what an instruction's operand means, or None where the document does not say."""
    return terms().get((name, operand)) or terms().get((family, operand))


class Mechanism(NamedTuple):
    """One row of the matrix of synchronisation, ``sync_matrix.txt``: in which of :data:`SCOPES` it
    synchronises, and what the document says of it.
    """

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
