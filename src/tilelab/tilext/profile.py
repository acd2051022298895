"""A profile: the table with its repairs and an overlay, turned into instructions that encode.

``printed`` is the document as it stands, ``repaired`` (the default) adds the repairs. An overlay
states what the document lacks, as a TOML file or a dictionary::

    opcode = 0x5b                    # bits 6:0; or [opcode] with 2 = …, 1 = …, 0 = …
    order = [0, 1, 2]                # issue order of the slots
    [codes.mmauop]                   # names for codes; they then work in assembly
    bf16 = 3
    [rows.tcsrw]                     # whole words, in the table's notation, by slot
    1 = "rs1_en=31=1 rd_en=30 csr_uop=29:28=01 csr_idx=27:20 rs1=19:15 tuop=14:12=010 rd=11:7"
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import cached_property
from itertools import combinations
from pathlib import Path
from typing import Any

from tilelab.isa.multiword import Cell, MultiWord, Word, parse_word
from tilelab.isa.syntax import shorten
from tilelab.tilext import func6
from tilelab.tilext.errors import BadInput, NotEncodable
from tilelab.tilext.provenance import Origin, origin_of
from tilelab.tilext.repairs import REPAIRS
from tilelab.tilext.table import TABLE, PrintedWord

PROFILES = ("repaired", "printed")
CUSTOM_3 = 0x7B
SLOTS = (2, 1, 0)
# Question tilesize-code: the printed profile keeps the raw code.
_TILESIZE = {"1": 0, "2": 1, "4": 2, "8": 3}


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
    opcode: Mapping[int, int] = field(default_factory=lambda: dict.fromkeys(SLOTS, CUSTOM_3))
    order: tuple[int, ...] = SLOTS
    names: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    rows: Mapping[str, Mapping[int, str]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for first, second in combinations(self.instructions.values(), 2):
            _check_ends(self, first, second)
        known = {operand for i in self.instructions.values() for operand in i.operands} - {"func6"}
        if unknown := sorted(self.names.keys() - known):
            raise BadInput(f"overlay: codes.{unknown[0]} is not an operand without codes")

    @cached_property
    def words(self) -> dict[str, tuple[ProfileWord, ...]]:
        """Every instruction's words, encodable or not."""
        return {
            name: tuple(self._word(name, printed) for printed in row.words)
            for name, row in TABLE.items()
        }

    def _word(self, name: str, printed: PrintedWord) -> ProfileWord:
        text, lost, slot = printed.cells, printed.lost, printed.slot
        if self.name == "repaired":
            for repair in REPAIRS:
                after = repair.apply(name, slot, text)
                text, lost = after, "" if after != text else lost
        if slot in self.rows.get(name, {}):
            text, lost = self.rows[name][slot], ""
        if lost:
            return ProfileWord(slot, printed, text, lost)
        cells = f"{text} opcode=6:0={self.opcode[slot]:07b}"
        try:
            word = parse_word(slot, cells)
        except ValueError as error:
            raise BadInput(f"{name}, word {slot}: {error}") from None
        return ProfileWord(slot, printed, text, word=word)

    @cached_property
    def instructions(self) -> dict[str, MultiWord]:
        """The instructions this profile can encode."""
        found = {}
        for name, words in self.words.items():
            layouts = tuple(word.word for word in words if word.word is not None)
            if len(layouts) == len(words):
                found[name] = MultiWord(name, layouts)
        return found

    def instruction(self, name: str) -> MultiWord:
        """Return an instruction; NotEncodable says what the document lacks."""
        if name not in self.instructions:
            raise self.not_encodable(name)
        return self.instructions[name]

    def not_encodable(self, name: str) -> BadInput:
        """Return the error for an instruction that is unknown or that the document lacks."""
        if name not in TABLE:
            near = get_close_matches(name, self.instructions, 1)
            hint = f"; did you mean {near[0]}?" if near else ""
            return BadInput(f"unknown instruction {shorten(name)!r}{hint}")
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
                    rows = func6.legal(name, printed=self.name == "printed")
                    by_name = {entry.name: code for code, entry in rows.items()}
                    found[name, operand] = Codes(by_name, closed=True)
                elif operand in self.names:
                    by_name = dict(self.names[operand])
                    closed = any(key.isdigit() for key in by_name)
                    found[name, operand] = Codes(by_name, closed)
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


def _check_ends(profile: Profile, first: MultiWord, second: MultiWord) -> None:
    """Refuse a pair where one instruction may look like the beginning of a longer one."""
    a, b = profile.issue_order(first), profile.issue_order(second)
    if len(a) == len(b):
        return
    for left, right in zip(a, b, strict=False):
        one, two = first.word(left), second.word(right)
        if (one.match ^ two.match) & one.mask & two.mask:
            return
    raise BadInput(
        f"profile {profile.name}: {first.name} and {second.name} begin alike, "
        "so no decoder can tell where they end"
    )


def load_profile(
    name: str = "repaired", overlay: Path | Mapping[str, Any] | None = None
) -> Profile:
    """Return a profile with an overlay (a TOML file or its contents); BadInput if unfit."""
    if name not in PROFILES:
        raise BadInput(f"unknown profile {name!r}: {' or '.join(PROFILES)}")
    data = overlay or {}
    if isinstance(data, Path):
        try:
            data = tomllib.loads(data.read_text(encoding="utf-8-sig"))
        except RecursionError:
            raise BadInput(f"overlay {overlay}: nested too deeply") from None
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            raise BadInput(f"overlay {overlay}: {reason}") from None
    if unknown := data.keys() - {"opcode", "order", "codes", "rows"}:
        raise BadInput(f"overlay: unknown key {', '.join(sorted(unknown))}")
    try:
        return Profile(
            name,
            _opcodes(data.get("opcode", CUSTOM_3)),
            _order(data.get("order", SLOTS)),
            _names(data.get("codes", {})),
            _rows(data.get("rows", {})),
        )
    except (TypeError, AttributeError):
        raise BadInput("overlay: a value has the wrong type") from None


def _opcodes(value: int | Mapping[str, int]) -> dict[int, int]:
    if isinstance(value, int):
        table = dict.fromkeys(SLOTS, value)
    else:
        table = {slot: value.get(str(slot), CUSTOM_3) for slot in SLOTS}
    for opcode in table.values():
        if not 0 <= opcode <= 0x7F or opcode & 3 != 3 or opcode & 0x1C == 0x1C:
            raise BadInput(f"overlay: opcode {opcode:#x} is not one of a 32-bit instruction")
    return table


def _order(value: list[int] | tuple[int, ...]) -> tuple[int, ...]:
    if sorted(value) != [0, 1, 2]:
        raise BadInput(f"overlay: order {list(value)} is not some order of 2, 1, 0")
    return tuple(value)


def _names(codes: Mapping[str, Mapping[str, int]]) -> dict[str, dict[str, int]]:
    for operand, names in codes.items():
        if len(set(names.values())) != len(names):
            raise BadInput(f"overlay: codes.{operand} gives two names to one code")
        for name, code in names.items():
            if not isinstance(code, int) or code < 0 or set(name) & set(" ,#"):
                raise BadInput(f"overlay: codes.{operand}.{name} = {code} is not a name and a code")
    return {operand: dict(names) for operand, names in codes.items()}


def _rows(rows: Mapping[str, Mapping[str, str]]) -> dict[str, dict[int, str]]:
    for name, words in rows.items():
        if name not in TABLE:
            raise BadInput(f"overlay: rows.{name} is not an instruction")
        known = {str(word.slot) for word in TABLE[name].words}
        if strange := {str(slot) for slot in words} - known:
            raise BadInput(f"overlay: {name} has no word {', '.join(sorted(strange))}")
    return {name: {int(slot): text for slot, text in words.items()} for name, words in rows.items()}
