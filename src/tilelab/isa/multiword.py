"""Instructions that are lists of words in numbered slots, with operands tied across words.

A word is written as one line of cells, in the notation of :func:`parse_field` and a little more::

    td=30:23                              an operand
    tuop=14:12=110                        a constant; x in the digits leaves that bit to the operand
    imm[9:5]=19:15                        bits 9:5 of an operand whose other bits are in other cells
    offset(offseten:rs3|imm[4:0])=24:20   rs3 where the operand offseten is 1, else bits 4:0 of imm
    compare(cas_en:rs3|0)=24:20           rs3 where cas_en is 1, else these bits are 0
    _=30=1(input_data)                    a constant that has no name, with a remark
    tuop=14:12=110!                       ! : the digits were restored by the transcriber

An operand that appears whole in two words is *tied*: both cells hold the same value.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from tilelab.isa.field import Field, check_disjoint, parse_field

_CELL = re.compile(
    r"(?P<head>[^=]+)=(?P<bits>\d+(?::\d+)?)"
    r"(?:=(?P<digits>[01x]+))?(?:\((?P<remark>\w+)\))?(?P<restored>!?)"
)
_CHOICE = re.compile(r"(?P<name>\w+)\((?P<selector>\w+):(?P<first>\w+)\|(?P<second>.+)\)")
_PART = re.compile(r"(?P<name>[\w/]+)(?:\[(?P<hi>\d+):(?P<lo>\d+)\])?")


@dataclass(frozen=True)
class Part:
    """Bits of one operand within a cell; ``low`` is the lowest of them; no name means zeros."""

    operand: str
    low: int
    sliced: bool = False

    def label(self, width: int) -> str:
        """Return the part as the notation spells it."""
        if not self.operand:
            return "0" * width
        return self.operand + (f"[{self.low + width - 1}:{self.low}]" if self.sliced else "")


@dataclass(frozen=True)
class Cell:
    """One stretch of bits in a word: a constant, an operand, or a choice of two operands."""

    field: Field
    part: Part
    digits: str = ""
    selector: str = ""
    other: Part | None = None
    remark: str = ""
    restored: bool = False
    text: str = ""

    @cached_property
    def mask(self) -> int:
        """The bits of the word that this cell fixes."""
        fixed = self.digits.translate(str.maketrans("01x", "110"))
        return int(fixed or "0", 2) << self.field.lo

    @cached_property
    def match(self) -> int:
        """The value of the fixed bits."""
        return int(self.digits.replace("x", "0") or "0", 2) << self.field.lo

    @property
    def constant(self) -> bool:
        """True if no bit is left to an operand."""
        return bool(self.digits) and "x" not in self.digits

    @property
    def label(self) -> str:
        """What a diagram prints in the cell."""
        width = self.field.width
        name = self.part.label(width)
        if self.other is not None:
            name += "/" + self.other.label(width)
        if name.startswith("_"):
            return self.digits + (f"({self.remark})" if self.remark else "")
        if not self.digits:
            return name
        return f"{name}:{self.digits}" + (f"({self.remark})" if self.remark else "")


def _part(text: str, width: int) -> Part:
    found = _PART.fullmatch(text)
    if found is None:
        raise ValueError(f"{text!r} is not an operand")
    if text == "0":
        return Part("", 0)
    if found["hi"] is None:
        return Part(found["name"], 0)
    hi, lo = int(found["hi"]), int(found["lo"])
    if hi - lo + 1 != width:
        raise ValueError(f"{text} has {hi - lo + 1} bits, its cell has {width}")
    return Part(found["name"], lo, sliced=True)


def parse_cell(text: str) -> Cell:
    """Read one cell; ValueError says what is wrong with it."""
    found = _CELL.fullmatch(text)
    if found is None:
        raise ValueError(f"{text!r} is not a cell (name=hi:lo, name=hi:lo=bits)")
    field = parse_field(f"x={found['bits']}")
    if field.hi > 31:
        raise ValueError(f"{text} is outside 32 bits")
    digits = found["digits"] or ""
    if digits and len(digits) != field.width:
        raise ValueError(f"{text}: {len(digits)} digits for {field.width} bits")
    head, other, selector = found["head"], None, ""
    if choice := _CHOICE.fullmatch(head):
        selector, name = choice["selector"], choice["name"]
        part = _part(choice["first"], field.width)
        other = _part(choice["second"], field.width)
    elif head == "_":
        name = f"_{field.hi}"
        part = Part(name, 0)
    else:
        part = _part(head, field.width)
        name = head
    field = Field(name, field.hi, field.lo)
    remark = (found["remark"] or "").replace("_", " ")
    return Cell(field, part, digits, selector, other, remark, found["restored"] == "!", text)


@dataclass(frozen=True)
class Word:
    """One 32-bit word of an instruction: its slot and its cells."""

    slot: int
    cells: tuple[Cell, ...]

    def __post_init__(self) -> None:
        check_disjoint((cell.field for cell in self.cells), f"word {self.slot}")
        flags = {c.part.operand for c in self.cells if c.field.width == 1 and not c.constant}
        for cell in self.cells:
            if cell.selector and cell.selector not in flags:
                raise ValueError(f"word {self.slot}: {cell.selector} is not a one-bit operand")

    @cached_property
    def mask(self) -> int:
        """The bits that identify the word."""
        return sum(cell.mask for cell in self.cells)

    @cached_property
    def match(self) -> int:
        """The value of the identifying bits."""
        return sum(cell.match for cell in self.cells)

    @cached_property
    def constants(self) -> int:
        """The word with every operand 0."""
        return sum(cell.match for cell in self.cells if cell.constant)

    @cached_property
    def unassigned(self) -> int:
        """The bits that no cell covers."""
        return 0xFFFFFFFF & ~sum(cell.field.mask for cell in self.cells)

    def matches(self, word: int, *, strict: bool = True) -> bool:
        """Return whether a word has this shape; ``strict`` also wants unassigned bits to be 0."""
        return word & self.mask == self.match and not (strict and word & self.unassigned)

    def apart(self, other: "Word") -> int:
        """The bits that identify both and differ; 0: some word has both shapes."""
        return (self.match ^ other.match) & self.mask & other.mask


def parse_word(slot: int, text: str) -> Word:
    """Read a word written as cells separated by blanks."""
    return Word(slot, tuple(parse_cell(item) for item in text.split()))


@dataclass(frozen=True)
class Piece:
    """Where a part of an operand lives, and under which value of a selector (None: always)."""

    slot: int
    field: Field
    low: int
    selector: str = ""
    when: int = 0

    def active(self, values: Mapping[str, int]) -> bool:
        """Return whether these bits belong to the operand under these selector values."""
        return not self.selector or values.get(self.selector, 0) == self.when


@dataclass(frozen=True)
class Operand:
    """A named value of an instruction and the pieces that hold it."""

    name: str
    pieces: tuple[Piece, ...]

    @cached_property
    def width(self) -> int:
        """Number of bits, over all pieces."""
        return max(piece.low + piece.field.width for piece in self.pieces)

    def cover(self, values: Mapping[str, int]) -> int:
        """Return the operand's bits that have a place under these selector values."""
        bits = 0
        for piece in self.pieces:
            if piece.active(values):
                bits |= piece.field.max << piece.low
        return bits


@dataclass(frozen=True)
class MultiWord:
    """An instruction: its words, highest slot first."""

    name: str
    words: tuple[Word, ...]

    def word(self, slot: int) -> Word:
        """Return the word in a slot."""
        return next(word for word in self.words if word.slot == slot)

    @cached_property
    def slots(self) -> tuple[int, ...]:
        """The slots in use, highest first."""
        return tuple(word.slot for word in self.words)

    @cached_property
    def operands(self) -> dict[str, Operand]:
        """Operands by name, in the order the cells are written."""
        pieces: dict[str, list[Piece]] = {}
        for slot, cell in self._cells():
            if cell.constant:
                continue
            selector, other = cell.selector, cell.other
            if cell.part.operand:
                here = Piece(slot, cell.field, cell.part.low, selector, 1)
                pieces.setdefault(cell.part.operand, []).append(here)
            if other is not None and other.operand:
                here = Piece(slot, cell.field, other.low, selector, 0)
                pieces.setdefault(other.operand, []).append(here)
        return {name: Operand(name, tuple(found)) for name, found in pieces.items()}

    @cached_property
    def selectors(self) -> dict[str, Cell]:
        """Choice cells by the operand that selects between their two readings."""
        return {cell.selector: cell for _, cell in self._cells() if cell.selector}

    def _cells(self) -> Iterator[tuple[int, Cell]]:
        for word in self.words:
            for cell in word.cells:
                yield word.slot, cell

    def active(self, values: Mapping[str, int]) -> list[str]:
        """Return the operands that exist under these selector values."""
        return [name for name, operand in self.operands.items() if operand.cover(values)]

    def encode(self, values: Mapping[str, int]) -> dict[int, int]:
        """Return the words by slot; ValueError names the operand that is missing or unfit."""
        active = self.active(values)
        if missing := [name for name in active if name not in values]:
            raise ValueError(f"{self.name} needs {', '.join(missing)}")
        if foreign := [name for name in values if name not in active]:
            raise ValueError(f"{self.name} has no {', '.join(foreign)} here")
        words = {word.slot: word.constants for word in self.words}
        for name in active:
            operand, value = self.operands[name], values[name]
            self._check_range(operand, value, values)
            for piece in operand.pieces:
                if piece.active(values):
                    words[piece.slot] |= piece.field.put(value >> piece.low & piece.field.max)
        for word in self.words:
            if words[word.slot] & word.mask != word.match:
                cell = next(c for c in word.cells if words[word.slot] & c.mask != c.match)
                value = values[cell.part.operand]
                raise ValueError(f"{self.name}: {cell.part.operand}={value} is not {cell.digits}")
        return words

    def _check_range(self, operand: Operand, value: int, values: Mapping[str, int]) -> None:
        cover = operand.cover(values)
        if not 0 <= value < 1 << operand.width:
            top = (1 << operand.width) - 1
            shown = value if abs(value) < 1 << 64 else "the value"
            raise ValueError(f"{self.name}: {operand.name}={shown} is not in 0..{top}")
        if value & ~cover:
            raise ValueError(
                f"{self.name}: {operand.name}={value} needs bits that hold something else here; "
                f"only {cover:#x} is free"
            )

    def decode(self, words: Mapping[int, int]) -> dict[str, int]:
        """Return the operands of words that match; ValueError if tied cells differ."""
        selectors = {
            name: piece.field.get(words[piece.slot])
            for name in self.selectors
            for piece in self.operands[name].pieces
        }
        values: dict[str, int] = {}
        for name, operand in self.operands.items():
            value = seen = 0
            for piece in operand.pieces:
                if not piece.active(selectors):
                    continue
                bits = piece.field.get(words[piece.slot]) << piece.low
                place = piece.field.max << piece.low
                if (value ^ bits) & seen & place:
                    raise ValueError(f"{self.name}: {name} is {value} and {bits} in tied words")
                value |= bits
                seen |= place
            if seen:
                values[name] = value
        for slot, cell in self._cells():
            zeros = cell.other is not None and not cell.other.operand
            if zeros and not selectors[cell.selector] and cell.field.get(words[slot]):
                raise ValueError(
                    f"{self.name}: bits {cell.field.hi}:{cell.field.lo} of word {slot} "
                    f"are not 0 although {cell.selector} is 0"
                )
        return values
