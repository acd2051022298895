"""Every departure from the print: what changes in which words, and which open question it answers.

They are the rows of ``repairs.txt``. Profile ``repaired`` is the printed table after these rows,
in order. A row applies to the words whose ``name/slot`` matches its pattern; an empty ``old``
replaces the whole word.
"""

from dataclasses import dataclass
from fnmatch import fnmatch

from tilelab.sim.texts import columns, paragraphs
from tilelab.tilext.questions import EVERY


@dataclass(frozen=True)
class Repair:
    """One correction: in words ``where``, the text ``old`` becomes ``new``."""

    key: str
    where: str
    old: str
    new: str

    def apply(self, name: str, slot: int, cells: str) -> str:
        """Return the word's cells after this repair."""
        if not fnmatch(f"{name}/{slot}", self.where):
            return cells
        if not self.old:
            return self.new
        if self.old not in cells:
            raise ValueError(f"repair {self.key}: {name}/{slot} has no {self.old!r}")
        return cells.replace(self.old, self.new)


def _read(line: str) -> Repair:
    key, where, old, new = columns(line)
    return Repair(key, where, "" if old == "-" else old, new)


REPAIRS = tuple(_read(line) for lines in paragraphs(__package__, "repairs.txt") for line in lines)
if unknown := {repair.key for repair in REPAIRS} - EVERY.keys():
    raise ValueError(f"repairs without a question: {sorted(unknown)}")
