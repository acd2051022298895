"""Whole instructions as one row of bits each, with every choice made: what tools can express.

The first word issued is bits 31:0, the next 63:32, the last 95:64 at most. A choice of register or
immediate makes two shapes, the register's ending in ``_r``. Unassigned bits are fixed zeros
(question unassigned-bits).
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from tilelab.isa.field import runs
from tilelab.isa.multiword import MultiWord
from tilelab.tilext.header import identifier
from tilelab.tilext.profile import Profile


@dataclass(frozen=True)
class Place:
    """``width`` bits of an operand from its bit ``low`` at bit ``at`` of the whole instruction."""

    operand: str
    low: int
    width: int
    at: int

    @property
    def mask(self) -> int:
        """The bits of the instruction."""
        return (1 << self.width) - 1 << self.at


@dataclass(frozen=True)
class Shape:
    """An instruction with its selectors fixed; ``mask`` and ``match`` are its fixed bits.

    ``places`` are the free bits, highest first; ``pinned`` are bits of operands that are fixed.
    """

    name: str
    instruction: MultiWord
    selectors: Mapping[str, int]
    words: int
    mask: int
    match: int
    places: tuple[Place, ...]
    pinned: Mapping[str, int]

    @property
    def bits(self) -> int:
        """Length in bits."""
        return 32 * self.words

    @cached_property
    def operands(self) -> tuple[str, ...]:
        """Operands in the order of the table."""
        here = {place.operand for place in self.places}
        return tuple(name for name in self.instruction.operands if name in here)

    @cached_property
    def tied(self) -> frozenset[str]:
        """Operands whose bits stand in two places that must agree."""
        seen: dict[str, int] = {}
        found = set()
        for place in self.places:
            bits = (1 << place.width) - 1 << place.low
            if seen.get(place.operand, 0) & bits:
                found.add(place.operand)
            seen[place.operand] = seen.get(place.operand, 0) | bits
        return frozenset(found)

    def of(self, operand: str) -> list[Place]:
        """Return an operand's places, the operand's highest bits first."""
        return sorted((p for p in self.places if p.operand == operand), key=lambda p: -p.low)

    def width(self, operand: str) -> int:
        """Return an operand's width in bits."""
        return self.instruction.operands[operand].width

    def overlaps(self, other: "Shape") -> bool:
        """Return whether some words are both."""
        same = self.words == other.words
        return same and not (self.match ^ other.match) & self.mask & other.mask


def shapes(profile: Profile) -> list[Shape]:
    """Return all shapes of a profile."""
    found = []
    for instruction in profile.instructions.values():
        selectors = list(instruction.selectors)
        for value in (0, 1) if selectors else (0,):
            name = identifier(instruction.name) + ("_r" if value else "")
            found.append(_shape(profile, name, instruction, dict.fromkeys(selectors, value)))
    return found


def _shape(
    profile: Profile, name: str, instruction: MultiWord, selectors: Mapping[str, int]
) -> Shape:
    order = profile.issue_order(instruction)
    start = {slot: 32 * number for number, slot in enumerate(order)}
    mask = match = 0
    for word in instruction.words:
        mask |= word.mask << start[word.slot]
        match |= word.match << start[word.slot]
    places: list[Place] = []
    pinned: dict[str, int] = {}
    for operand in instruction.operands.values():
        for piece in operand.pieces:
            if not piece.active(selectors):
                continue
            word = instruction.word(piece.slot)
            at = start[piece.slot] + piece.field.lo
            if operand.name in selectors:
                match |= selectors[operand.name] << at
                continue
            pinned[operand.name] = piece.field.get(word.match) << piece.low
            for bit, width in runs(piece.field.get(~word.mask)):
                places.append(Place(operand.name, piece.low + bit, width, at + bit))
    free = 0
    for place in places:
        free |= place.mask
    whole = (1 << 32 * len(order)) - 1
    ordered = tuple(sorted(places, key=lambda place: -place.at))
    held = {operand: value for operand, value in pinned.items() if value}
    return Shape(name, instruction, selectors, len(order), whole & ~free, match, ordered, held)


def legal_codes(profile: Profile, shape: Shape, operand: str) -> list[int] | None:
    """Return the only legal codes of an operand, or None if all are."""
    codes = profile.codes(shape.instruction.name, operand)
    return sorted(codes.by_code) if codes is not None and codes.closed else None
