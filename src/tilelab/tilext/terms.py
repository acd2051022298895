"""What operands mean, in English and in the seed's own Chinese: ``terms.txt`` read."""

from dataclasses import dataclass
from functools import cache

from tilelab.sim.texts import columns, paragraphs


@dataclass(frozen=True)
class Term:
    """An operand's meaning in both languages; ``zh`` is a phrase of the seed's ``line``."""

    en: str
    zh: str
    line: int


@cache
def terms() -> dict[tuple[str, str], Term]:
    """Return all terms by family or instruction and operand."""
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
