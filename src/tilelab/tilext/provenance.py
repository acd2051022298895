"""Where a cell comes from: computed by comparing it with the printed table and the repairs."""

import re
from dataclasses import dataclass
from fnmatch import fnmatch

from tilelab.isa.multiword import Cell
from tilelab.tilext.repairs import REPAIRS
from tilelab.tilext.table import PrintedWord

PRINTED, PLACED, REPAIRED, INFERRED, OVERLAY = (
    "printed",
    "placed",
    "repaired",
    "inferred",
    "overlay",
)


@dataclass(frozen=True)
class Origin:
    """printed: as in the seed; placed: so too, but its bit numbers are lost and those of a sibling;
    repaired: the seed has something else; inferred: it has nothing.

    ``line`` is the seed's line (0 if the word has none), ``question`` the open question behind a
    repair.
    """

    kind: str
    line: int
    question: str = ""


def _bits(text: str) -> int:
    """Return the mask of a cell's bits, without judging the rest of the cell."""
    found = re.search(r"=(\d+)(?::(\d+))?", text)
    if found is None:
        return 0
    hi = int(found[1])
    lo = int(found[2] or hi)
    return (1 << hi + 1) - (1 << lo)


def origin_of(name: str, printed: PrintedWord, cell: Cell) -> Origin:
    """Return the origin of a cell of an instruction's word."""
    if cell.text in printed.cells.split():
        if cell.restored:
            return Origin(REPAIRED, printed.line, "restored-text")
        if printed.places:
            return Origin(PLACED, printed.line, printed.places)
        return Origin(PRINTED, printed.line)
    for repair in REPAIRS:
        here = fnmatch(f"{name}/{printed.slot}", repair.where)
        if here and any(cell.text == new or new in cell.text for new in repair.new.split()):
            before = any(_bits(old) & cell.field.mask for old in printed.cells.split())
            return Origin(REPAIRED if before else INFERRED, printed.line, repair.key)
    return Origin(OVERLAY, 0)
