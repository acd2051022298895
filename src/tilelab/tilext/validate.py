"""What can be proved about a profile: every bit accounted for, and which patterns overlap."""

from collections import Counter
from dataclasses import dataclass
from itertools import combinations

from tilelab.isa.multiword import MultiWord
from tilelab.tilext.profile import Profile


@dataclass(frozen=True)
class Overlap:
    """Two instructions that some words fit both.

    ``strict`` says whether that remains so when unassigned bits must be 0.
    """

    first: str
    second: str
    strict: bool


def overlaps(profile: Profile) -> list[Overlap]:
    """Return all pairs of instructions whose patterns share words."""
    found = []
    for first, second in combinations(profile.instructions.values(), 2):
        if first.slots == second.slots and _agree(first, second):
            found.append(Overlap(first.name, second.name, _agree_strictly(first, second)))
    return found


def _agree(first: MultiWord, second: MultiWord) -> bool:
    pairs = zip(first.words, second.words, strict=True)
    return not any(a.apart(b) for a, b in pairs)


def _agree_strictly(first: MultiWord, second: MultiWord) -> bool:
    pairs = zip(first.words, second.words, strict=True)
    return not any(a.match & b.unassigned or b.match & a.unassigned for a, b in pairs)


@dataclass(frozen=True)
class Report:
    """Counts of a profile; ``origins`` counts cells by where they come from."""

    profile: str
    instructions: int
    encodable: int
    words: int
    not_encodable: dict[str, list[str]]
    origins: dict[str, int]
    unassigned_bits: int
    overlaps: list[Overlap]


def validate(profile: Profile) -> Report:
    """Count and prove; ValueError if a word's bits are not each accounted for exactly once."""
    origins: Counter[str] = Counter()
    unassigned = 0
    for name, words in profile.words.items():
        for word in words:
            if word.word is None:
                continue
            covered = 0
            for cell in word.word.cells:
                if covered & cell.field.mask:
                    raise ValueError(f"{name}, word {word.slot}: {cell.label} covers a bit twice")
                covered |= cell.field.mask
                if cell.field.name != "opcode":
                    origins[word.origin(name, cell).kind] += 1
            if covered ^ word.word.unassigned != 0xFFFFFFFF:
                raise ValueError(f"{name}, word {word.slot}: a bit is not accounted for")
            unassigned += word.word.unassigned.bit_count()
    return Report(
        profile.name,
        len(profile.words),
        len(profile.instructions),
        sum(len(words) for words in profile.words.values()),
        {
            name: [word.lost for word in words if word.lost]
            for name, words in profile.words.items()
            if name not in profile.instructions
        },
        dict(origins),
        unassigned,
        overlaps(profile),
    )
