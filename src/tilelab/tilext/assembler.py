"""Assembly text to words, and the forms in which words are written out.

Comments are ``#`` and ``//``; ``.word V, …`` emits words as they are. Syntax of the instructions:
:mod:`tilelab.tilext.syntax`.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any

from tilelab.isa.syntax import shorten
from tilelab.sim.errors import BadInputError, TilelabError
from tilelab.tilext.errors import AssemblyError, IllegalInstruction
from tilelab.tilext.legality import check
from tilelab.tilext.profile import Profile, load_profile
from tilelab.tilext.syntax import STRAY, Syntax

STYLES = ("hex", "word", "insn")


class Assembler:
    """Assembles text under one profile; ``strict`` refuses what the document calls illegal."""

    def __init__(self, profile: Profile, *, strict: bool = True) -> None:
        self.profile = profile
        self.strict = strict
        self.syntax = Syntax(profile)

    def encode(self, name: str, values: Mapping[str, int]) -> list[int]:
        """Return its words in issue order; IllegalInstruction or BadInputError if it is unfit."""
        instruction = self.profile.instruction(name)
        plain = {o: v for o, v in values.items() if not o.startswith(STRAY)}
        stray = {int(o[len(STRAY) :]): v for o, v in values.items() if o.startswith(STRAY)}
        try:
            words = instruction.encode(plain)
        except ValueError as error:
            raise BadInputError(str(error)) from None
        if self.strict:
            check(self.profile, instruction, plain)
        for slot, bits in stray.items():
            if self.strict:
                raise IllegalInstruction(f"{name}: bits {bits:#x} of word {slot} are not assigned")
            if slot not in words or bits & ~instruction.word(slot).unassigned:
                raise BadInputError(f"{name}: {STRAY}{slot}={bits:#x} are not unassigned bits")
            words[slot] |= bits
        return [words[slot] for slot in self.profile.issue_order(instruction)]

    def line(self, text: str) -> list[int]:
        """Return the words of one line without comments."""
        if text.split(maxsplit=1)[0] == ".word":
            return [_word(item) for item in text[len(".word") :].split(",")]
        instruction, values = self.syntax.read(text)
        return self.encode(instruction.name, values)

    def lines(self, text: str) -> Iterator[tuple[int, list[int]]]:
        """Yield line numbers (from 1) and the words of each; errors name the line."""
        for number, line in source_lines(text):
            with at_line(number):
                words = self.line(line)
            yield number, words

    def read(self, number: int, line: str) -> tuple[str, dict[str, int]]:
        """Return a checked instruction's name and operands; errors name the line's number."""
        with at_line(number):
            instruction, values = self.syntax.read(line)
            self.encode(instruction.name, values)
        return instruction.name, values


@contextmanager
def at_line(number: int) -> Iterator[None]:
    """Put a line's number before what is wrong with it."""
    try:
        yield
    except IllegalInstruction as error:
        raise IllegalInstruction(f"line {number}: {error.summary}") from None
    except TilelabError as error:
        raise AssemblyError(error.summary, number) from None


def source_lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield the numbers (from 1) and texts of lines that hold more than a comment."""
    for number, line in enumerate(text.splitlines(), 1):
        if code := re.split(r"#|//", line, maxsplit=1)[0].strip():
            yield number, code


def _word(text: str) -> int:
    try:
        value = int(text.strip(), 0)
    except ValueError:
        raise AssemblyError(f".word {shorten(text.strip())!r} is not a number") from None
    if not 0 <= value <= 0xFFFFFFFF:
        raise AssemblyError(f".word {shorten(text.strip())} does not fit 32 bits")
    return value


@lru_cache(maxsize=8)
def _named_profile(name: str) -> Profile:
    return load_profile(name)


def resolve_profile(profile: str | Profile, overlay: Path | Mapping[str, Any] | None) -> Profile:
    """Return a profile given by name, with an overlay, or as it is."""
    if isinstance(profile, Profile):
        return profile
    return load_profile(profile, overlay) if overlay else _named_profile(profile)


def assemble_text(
    text: str,
    profile: str | Profile = "repaired",
    overlay: Path | Mapping[str, Any] | None = None,
    *,
    strict: bool = True,
) -> list[int]:
    """Assemble text into 32-bit words in issue order.

    ``overlay`` is a TOML file or its contents (:mod:`tilelab.tilext.profile`). Raises BadInputError
    (AssemblyError with the line) for what cannot be read and IllegalInstruction for what the
    document calls illegal; ``strict=False`` lets the latter pass.
    """
    assembler = Assembler(resolve_profile(profile, overlay), strict=strict)
    return [word for _, words in assembler.lines(text) for word in words]


def format_words(words: Iterable[int], style: str = "hex") -> list[str]:
    """Return one line for each word: ``hex``, ``word`` (.word) or ``insn`` (.insn r, GNU as)."""
    if style not in STYLES:
        raise BadInputError(f"unknown style {style!r}: {', '.join(STYLES)}")
    if style == "insn":
        return [insn_line(word) for word in words]
    return [f".word 0x{word:08x}" if style == "word" else f"0x{word:08x}" for word in words]


def insn_line(word: int) -> str:
    """Return a word as GNU's R-type ``.insn``: opcode, funct3, funct7, rd, rs1, rs2."""
    opcode, funct3, funct7 = word & 0x7F, word >> 12 & 7, word >> 25
    rd, rs1, rs2 = word >> 7 & 31, word >> 15 & 31, word >> 20 & 31
    return f".insn r {opcode:#x}, {funct3}, {funct7}, x{rd}, x{rs1}, x{rs2}"


def to_bytes(words: Iterable[int]) -> bytes:
    """Return words as little-endian bytes."""
    return b"".join(word.to_bytes(4, "little") for word in words)
