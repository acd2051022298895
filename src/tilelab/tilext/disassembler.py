"""Words to instructions: a decoder that follows the sequence, because a word alone is not enough.

Word 0 carries no identity: what it means depends on the words before it. The decoder takes the
longest meaning that the words at hand agree with and never guesses: a word without its
companions, a sequence that more than one instruction fits, and a sequence that is illegal are
reported with their candidates and printed as ``.word``, so that the text assembles to the same
words again.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tilelab.isa.multiword import MultiWord
from tilelab.sim.errors import BadInputError
from tilelab.tilext.assembler import resolve_profile
from tilelab.tilext.errors import IllegalInstruction
from tilelab.tilext.legality import check
from tilelab.tilext.profile import Profile
from tilelab.tilext.syntax import STRAY, Syntax


@dataclass(frozen=True)
class Decoded:
    """One instruction's name and operands."""

    name: str
    values: Mapping[str, int]


@dataclass(frozen=True)
class Item:
    """What some words at ``index`` mean.

    One candidate and no ``problem``: an instruction. Several candidates: ambiguous. With a
    problem the candidates are what the words would be if it were waived, or are empty;
    ``names`` then lists the instructions that have such a word.
    """

    index: int
    words: tuple[int, ...]
    candidates: tuple[Decoded, ...] = ()
    problem: str = ""
    names: tuple[str, ...] = ()

    @property
    def certain(self) -> bool:
        """True if this is exactly one legal instruction."""
        return len(self.candidates) == 1 and not self.problem


class Disassembler:
    """Decodes under one profile.

    Strict: unassigned bits are 0 and codes are legal, and what breaks that is no candidate where
    something else fits. Lenient: unassigned bits may hold anything and are printed as
    ``unassigned.SLOT=0x…``, illegal codes as ``@N``, so that more sequences are ambiguous.
    """

    def __init__(self, profile: Profile, *, strict: bool = True) -> None:
        self.profile = profile
        self.strict = strict
        self.syntax = Syntax(profile)
        self._orders = {i.name: profile.issue_order(i) for i in profile.instructions.values()}

    def decode(self, words: Sequence[int]) -> Iterator[Item]:
        """Yield what the words mean, in order; every word belongs to exactly one item."""
        index = 0
        while index < len(words):
            item = self.decode_at(words, index)
            yield item
            index += len(item.words)

    def decode_at(self, words: Sequence[int], index: int) -> Item:
        """Return the item that begins at an index."""
        if not 0 <= words[index] <= 0xFFFFFFFF:
            raise BadInputError(f"{words[index]:#x} does not fit 32 bits")
        good: list[Decoded] = []
        waived: list[Decoded] = []
        problems: list[str] = []
        length = 1
        for instruction in self.profile.by_first.get(words[index] & 0x707F, ()):
            order = self._orders[instruction.name]
            here = tuple(words[index : index + len(order)])
            if len(here) < len(order):
                continue
            by_slot = dict(zip(order, here, strict=True))
            if not all(w.matches(by_slot[w.slot], strict=False) for w in instruction.words):
                continue
            length = len(order)
            decoded, problem = self._read(instruction, by_slot)
            if problem:
                problems.append(problem)
            if decoded is not None:
                (waived if problem else good).append(decoded)
        found = tuple(words[index : index + length])
        if not self.strict and len(good) + len(waived) > 1:
            return Item(index, found, (*good, *waived))
        if good:
            return Item(index, found, tuple(good))
        if problems:
            problem = "; ".join(dict.fromkeys(problems))
            return Item(index, found, tuple(waived), problem)
        return self._orphan(words, index)

    def _read(
        self, instruction: MultiWord, by_slot: Mapping[int, int]
    ) -> tuple[Decoded | None, str]:
        try:
            decoded = Decoded(instruction.name, instruction.decode(by_slot))
        except ValueError as error:
            return None, str(error)
        problem = ""
        for word in instruction.words:
            if stray := by_slot[word.slot] & word.unassigned:
                if self.strict:
                    problem = f"unassigned bits {stray:#010x} are set in word {word.slot}"
                else:
                    values = {**decoded.values, f"{STRAY}{word.slot}": stray}
                    decoded = Decoded(decoded.name, values)
        if not problem:
            try:
                check(self.profile, instruction, decoded.values)
            except IllegalInstruction as error:
                problem = error.summary
                if not self.strict:
                    return decoded, ""
        return decoded, problem

    def _orphan(self, words: Sequence[int], index: int) -> Item:
        word = words[index]
        names: dict[str, int] = {}
        for instruction in self.profile.instructions.values():
            for layout in instruction.words:
                if layout.matches(word, strict=self.strict):
                    names[instruction.name] = layout.slot
        if not names:
            return Item(index, (word,), problem="no word of the Tile Extension")
        slots = "/".join(str(slot) for slot in sorted(set(names.values()), reverse=True))
        return Item(index, (word,), (), f"word {slots} without its companions", tuple(names))

    def text(self, item: Item) -> str:
        """Return an item as one line; it assembles to the same words."""
        texts = [self.syntax.write(d.name, d.values) for d in item.candidates]
        if item.certain:
            return texts[0]
        line = ".word " + ", ".join(f"0x{word:08x}" for word in item.words)
        if not item.problem:
            return f"{line}  # ambiguous: {' | '.join(texts)}"
        extra = f": {' | '.join(texts or _short(item.names))}" if texts or item.names else ""
        return f"{line}  # {item.problem}{extra}"


def _short(names: Sequence[str]) -> list[str]:
    return [*names[:4], f"and {len(names) - 4} more"] if len(names) > 5 else list(names)


def disassemble_words(
    words: Sequence[int],
    profile: str | Profile = "repaired",
    overlay: Path | Mapping[str, Any] | None = None,
    *,
    strict: bool = True,
) -> list[str]:
    """Return one line for each instruction; what is not certain becomes ``.word … # why``.

    The lines assemble to the same words. ``strict=False`` prints codes that the document calls
    illegal as ``@N`` instead of refusing them.
    """
    disassembler = Disassembler(resolve_profile(profile, overlay), strict=strict)
    return [disassembler.text(item) for item in disassembler.decode(words)]
