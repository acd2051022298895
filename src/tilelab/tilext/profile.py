"""A profile: the table with its repairs and an overlay, turned into instructions that encode.

``printed`` is the document as it stands, ``repaired`` (the default) adds the repairs. An overlay
states what the document lacks, as a TOML file or a dictionary::

    opcode = 0x5b                    # bits 6:0; or [opcode] with 2 = …, 1 = …, 0 = …
    order = [0, 1, 2]                # issue order of the slots
    [codes.mmauop]                   # names for codes; they then work in assembly
    bf16 = 3
    [rows.tcsrw]                     # whole words, in the table's notation, by slot
    1 = "rs1_en=31=1 rd_en=30 csr_uop=29:28=01 csr_idx=27:20 rs1=19:15 tuop=14:12=010 rd=11:7"
    [fields."talu.1op"]              # cells more, or in place of a cell at those bits
    0 = "neg1=27"
    [instructions."tgatom.rd"]       # one that the document lacks; its words are rows
    like = "tsatom.rd"
    space = "global"

:mod:`tilelab.tilext.overlay` reads it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cached_property
from itertools import combinations
from pathlib import Path
from typing import Any

from tilelab.isa.multiword import Cell, MultiWord, Word, parse_cell, parse_word
from tilelab.isa.syntax import shorten
from tilelab.sim.errors import BadInputError
from tilelab.tilext import func6
from tilelab.tilext.errors import NotEncodable
from tilelab.tilext.forms import FORMS, Form
from tilelab.tilext.overlay import Overlay, read_overlay
from tilelab.tilext.provenance import Origin, origin_of
from tilelab.tilext.registers import Kind, kind_of
from tilelab.tilext.repairs import REPAIRS
from tilelab.tilext.table import TABLE, PrintedWord, Row

PROFILES = ("repaired", "printed")
# Question tilesize-code: the printed profile keeps the raw code.
_TILESIZE = {"1": 0, "2": 1, "4": 2, "8": 3}
_COMPLETION = {"bulk": 0, "semaphore": 2}  # as seed line 21 suggests


@dataclass(frozen=True)
class Codes:
    """Names for an operand's codes; ``closed`` means that no other code is legal."""

    by_name: Mapping[str, int]
    closed: bool = False

    @cached_property
    def by_code(self) -> dict[int, str]:
        """Names by code."""
        return {code: name for name, code in self.by_name.items()}


@dataclass(frozen=True)
class ProfileWord:
    """One word under a profile: its cells as text and, unless ``lost``, its layout."""

    slot: int
    printed: PrintedWord
    text: str
    lost: str = ""
    word: Word | None = None

    def origin(self, name: str, cell: Cell) -> Origin:
        """Return where a cell comes from: printed, repaired, inferred or overlay."""
        return origin_of(name, self.printed, cell)


@dataclass(frozen=True)
class Profile:
    """All instructions under one reading of the document."""

    name: str = "repaired"
    overlay: Overlay = field(default_factory=Overlay)

    def __post_init__(self) -> None:
        for first, second in combinations(self.instructions.values(), 2):
            _check_ends(self, first, second)
        known = {operand for i in self.instructions.values() for operand in i.operands} - {"func6"}
        if unknown := sorted(self.overlay.names.keys() - known):
            raise BadInputError(f"overlay: codes.{unknown[0]} is not an operand without codes")
        for name, instruction in self.instructions.items():
            for operand in instruction.operands:
                self._check_codes(name, operand)

    def _check_codes(self, name: str, operand: str) -> None:
        """Refuse a code that its field cannot hold."""
        codes, width = self.codes(name, operand), self.instructions[name].operands[operand].width
        if codes is not None:
            for text, code in codes.by_name.items():
                if code >> width:
                    raise BadInputError(
                        f"overlay: codes.{operand}.{text} = {code} needs over {width} bits"
                    )

    @property
    def opcode(self) -> Mapping[int, int]:
        """Bits 6:0 by slot."""
        return self.overlay.opcode

    @property
    def order(self) -> tuple[int, ...]:
        """The slots in the order they are issued."""
        return self.overlay.order

    @cached_property
    def table(self) -> dict[str, Row]:
        """The document's instructions, with the words and instructions that the overlay adds."""
        overlay = self.overlay
        added = {name: Row(name, new.title, 0, ()) for name, new in overlay.instructions.items()}
        found = {}
        for name, row in (TABLE | added).items():
            slots = {word.slot for word in row.words}
            more = [
                PrintedWord(slot, 0, 0, "") for slot in overlay.rows.get(name, {}).keys() - slots
            ]
            words = sorted((*row.words, *more), key=lambda word: -word.slot)
            found[name] = Row(name, row.title, row.line, tuple(words))
        return found

    @cached_property
    def forms(self) -> dict[str, Form]:
        """What every instruction is."""
        return FORMS | {name: new.form for name, new in self.overlay.instructions.items()}

    def kind(self, name: str, operand: str) -> Kind:
        """Return what an instruction's operand is."""
        width = self.instructions[name].operands[operand].width
        return kind_of(self.forms[name], operand, width)

    def func6(self, name: str) -> dict[int, func6.Func6]:
        """Return the legal codes of an instruction's func6."""
        form = self.forms[name]
        return func6.legal(form.func6, form.direction, printed=self.name == "printed")

    @cached_property
    def words(self) -> dict[str, tuple[ProfileWord, ...]]:
        """Every instruction's words, encodable or not."""
        return {
            name: tuple(self._word(name, printed) for printed in row.words)
            for name, row in self.table.items()
        }

    def _word(self, name: str, printed: PrintedWord) -> ProfileWord:
        text, lost, slot = printed.cells, printed.lost, printed.slot
        if self.name == "repaired" and name in TABLE:
            for repair in REPAIRS:
                after = repair.apply(name, slot, text)
                text, lost = after, "" if after != text else lost
        if slot in self.overlay.rows.get(name, {}):
            text, lost = self.overlay.rows[name][slot], ""
        if lost:
            return ProfileWord(slot, printed, text, lost)
        try:
            text = _with_fields(text, self.overlay.fields.get(name, {}).get(slot, ""))
            word = parse_word(slot, f"{text} opcode=6:0={self.opcode[slot]:07b}")
        except ValueError as error:
            raise BadInputError(f"{name}, word {slot}: {error}") from None
        return ProfileWord(slot, printed, text, word=word)

    @cached_property
    def instructions(self) -> dict[str, MultiWord]:
        """The instructions this profile can encode."""
        found = {}
        for name, words in self.words.items():
            layouts = tuple(word.word for word in words if word.word is not None)
            if len(layouts) == len(words):
                found[name] = _instruction(name, layouts)
        return found

    def instruction(self, name: str) -> MultiWord:
        """Return an instruction; NotEncodable says what the document lacks."""
        if name not in self.instructions:
            raise self.not_encodable(name)
        return self.instructions[name]

    def not_encodable(self, name: str) -> BadInputError:
        """Return the error for an instruction that is unknown or that the document lacks."""
        if name not in self.table:
            near = get_close_matches(name, self.instructions, 1)
            hint = f"; did you mean {near[0]}?" if near else ""
            return BadInputError(f"unknown instruction {shorten(name)!r}{hint}")
        lost = "; ".join(word.lost for word in self.words[name] if word.lost)
        return NotEncodable(
            f"{name} cannot be encoded in profile {self.name}: {lost}",
            f"An overlay can give the missing words: rows.{name}",
        )

    def issue_order(self, instruction: MultiWord) -> tuple[int, ...]:
        """Return an instruction's slots in the order they are issued."""
        return tuple(slot for slot in self.order if slot in instruction.slots)

    @cached_property
    def _codes(self) -> dict[tuple[str, str], Codes]:
        found = {}
        for name, instruction in self.instructions.items():
            for operand in instruction.operands:
                if operand == "func6":
                    rows = self.func6(name)
                    by_name = {entry.name: code for code, entry in rows.items()}
                    found[name, operand] = Codes(by_name, closed=True)
                elif operand in self.overlay.names:
                    by_name = dict(self.overlay.names[operand])
                    closed = any(key.isdigit() for key in by_name)
                    found[name, operand] = Codes(by_name, closed)
                elif operand == "completion" and self.name == "repaired":
                    found[name, operand] = Codes(_COMPLETION)
                elif operand == "tilesize" and self.name == "repaired":
                    found[name, operand] = Codes(_TILESIZE, closed=True)
        return found

    def codes(self, instruction: str, operand: str) -> Codes | None:
        """Return the names of an operand's codes, if it has any."""
        return self._codes.get((instruction, operand))

    @cached_property
    def by_first(self) -> dict[int, tuple[MultiWord, ...]]:
        """Instructions by bits 14:12 and 6:0 of the word that is issued first."""
        found: dict[int, tuple[MultiWord, ...]] = {}
        for instruction in self.instructions.values():
            first = instruction.word(self.issue_order(instruction)[0])
            for tuop in range(8):
                key = tuop << 12 | self.opcode[first.slot]
                if not (first.match ^ key) & first.mask & 0x707F:
                    found[key] = (*found.get(key, ()), instruction)
        return found


def _instruction(name: str, words: tuple[Word, ...]) -> MultiWord:
    """Return an instruction of these words; BadInputError if its operands do not fit together."""
    made = MultiWord(name, words)
    for operand in made.operands.values():
        if operand.width > 1 and operand.name in made.selectors:
            raise BadInputError(f"{name}: {operand.name} selects and has more than one bit")
    return made


def _with_fields(text: str, added: str) -> str:
    """Return a word's cells with others, each in place of one at the same bits or at free bits."""
    cells = {parse_cell(item).field: item for item in text.split()}
    places = {(field.hi, field.lo): field for field in cells}
    for item in added.split():
        new = parse_cell(item).field
        cells.pop(places.get((new.hi, new.lo), new), None)
        cells[new] = item
    return " ".join(cells.values())


def _check_ends(profile: Profile, first: MultiWord, second: MultiWord) -> None:
    """Refuse a pair where one instruction may look like the beginning of a longer one."""
    a, b = profile.issue_order(first), profile.issue_order(second)
    if len(a) == len(b):
        return
    for left, right in zip(a, b, strict=False):
        if first.word(left).apart(second.word(right)):
            return
    raise BadInputError(
        f"profile {profile.name}: {first.name} and {second.name} begin alike, "
        "so no decoder can tell where they end"
    )


def load_profile(
    name: str = "repaired", overlay: Path | Mapping[str, Any] | None = None
) -> Profile:
    """Return a profile with an overlay (a TOML file or its contents); BadInputError if unfit."""
    if name not in PROFILES:
        raise BadInputError(f"unknown profile {name!r}: {' or '.join(PROFILES)}")
    return Profile(name, read_overlay(overlay))
