"""Every instruction of the encoding document as it is printed: ``table.txt`` read.

Nothing is corrected there: corrections are rows of :mod:`tilelab.tilext.repairs`. The cells are in
the notation of :mod:`tilelab.isa.multiword`. ``header`` and ``line`` are the seed's lines of a
word's bit numbers and of its values; header 0 means that the bit numbers were lost and the columns
are those of a sibling, which the question ``places`` asks about. A word that cannot be used as
printed says why in ``lost``.
"""

from dataclasses import dataclass

from tilelab.sim.texts import columns, paragraphs


@dataclass(frozen=True)
class PrintedWord:
    """One word's row in the document."""

    slot: int
    header: int
    line: int
    cells: str
    lost: str = ""
    places: str = ""


@dataclass(frozen=True)
class Row:
    """One instruction of the document: our mnemonic, its heading, the heading's line."""

    name: str
    title: str
    line: int
    words: tuple[PrintedWord, ...]


def _word(text: str) -> PrintedWord:
    slot, lines, cells, *more = columns(text)
    header, line = map(int, lines.split())
    notes = dict(note.split(": ", 1) for note in more)
    return PrintedWord(int(slot), header, line, "" if cells == "-" else cells, **notes)


def _row(head: str, *words: str) -> Row:
    name, title, line = columns(head)
    return Row(name, title, int(line), tuple(map(_word, words)))


TABLE: dict[str, Row] = {
    row.name: row for row in (_row(*lines) for lines in paragraphs(__package__, "table.txt"))
}
