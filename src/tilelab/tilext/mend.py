"""Why no words fit two instructions: the bit that tells each pair apart, or one that could.

A mend sets one bit of one word that the document leaves free (unassigned, or a constant without a
name) to what the other instruction does not have there. It is tried: the ambiguity is gone and no
other has come.
"""

from dataclasses import dataclass, replace
from itertools import combinations

from tilelab.isa.multiword import MultiWord, Word
from tilelab.sim.errors import BadInputError
from tilelab.tilext.profile import Profile
from tilelab.tilext.validate import Overlap, overlaps


@dataclass(frozen=True)
class Apart:
    """Two instructions, and a bit that is fixed in a word of each (their slots) and differs."""

    first: str
    second: str
    slots: tuple[int, int]
    bit: int


@dataclass(frozen=True)
class Mend:
    """An ambiguity, and the overlay's cell that ends it."""

    overlap: Overlap
    instruction: str
    slot: int
    cell: str

    @property
    def overlay(self) -> str:
        """As an overlay file has it."""
        return f'[fields."{self.instruction}"]\n{self.slot} = "{self.cell}"'


def apart(profile: Profile) -> list[Apart]:
    """For each pair of instructions a bit that tells them apart, where there is one.

    It is in a word that both have, before either has ended; so a decoder that reads in issue order
    sees it in time.
    """
    found = []
    for first, second in combinations(profile.instructions.values(), 2):
        orders = profile.issue_order(first), profile.issue_order(second)
        for slot, other in zip(*orders, strict=False):
            bits = first.word(slot).apart(second.word(other))
            if bits:
                bit = bits.bit_length() - 1
                found.append(Apart(first.name, second.name, (slot, other), bit))
                break
    return found


def mends(profile: Profile) -> list[Mend]:
    """A mend for each ambiguity that one bit can end; the lowest bit of the latest word."""
    found = []
    for overlap in overlaps(profile):
        pair = profile.instructions[overlap.first], profile.instructions[overlap.second]
        mend = next(
            (one for order in (pair[::-1], pair) for one in _tries(profile, overlap, *order)), None
        )
        if mend is not None:
            found.append(mend)
    return found


def _tries(profile: Profile, overlap: Overlap, changed: MultiWord, other: MultiWord) -> list[Mend]:
    """The first bit of ``changed`` that would do, if any."""
    before = len(overlaps(profile))
    places = [
        (not theirs.mask >> bit & 1, -word.slot, bit, word.slot, 1 - (theirs.match >> bit & 1))
        for word in changed.words
        for theirs in (other.word(word.slot),)
        for bit in range(32)
        if (word.unassigned | _nameless(word)) >> bit & 1
        and (theirs.mask | theirs.unassigned) >> bit & 1
    ]
    for _, _, bit, slot, value in sorted(places):  # best where the other fixes the bit already
        cell = f"_={bit}={value}"
        if _ends(profile, changed.name, slot, cell, overlap, before):
            return [Mend(overlap, changed.name, slot, cell)]
    return []


def _nameless(word: Word) -> int:
    """Bits that are constant and mean nothing that the document names."""
    bits = (
        cell.field.mask
        for cell in word.cells
        if cell.constant and cell.field.name.startswith("_") and not cell.remark
        and cell.field.width == 1
    )  # fmt: skip
    return sum(bits)


def _ends(profile: Profile, name: str, slot: int, cell: str, overlap: Overlap, before: int) -> bool:
    fields = {key: dict(words) for key, words in profile.overlay.fields.items()}
    mine = fields.setdefault(name, {})
    mine[slot] = f"{mine.get(slot, '')} {cell}".strip()
    try:
        after = overlaps(Profile(profile.name, replace(profile.overlay, fields=fields)))
    except (BadInputError, ValueError):
        return False
    named = {(one.first, one.second) for one in after if one.strict}
    return len(after) < before or (
        overlap.strict and (overlap.first, overlap.second) not in named and len(after) <= before
    )
