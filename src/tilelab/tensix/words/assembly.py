"""Tensix assembly, spelt as the vendor's GNU assembler spells it, both ways.

One statement a line; ``#`` and ``//`` begin a comment. Besides instructions:

- ``.thread N``: the statements below are for thread N (0 to 2; 1 until told otherwise)
- ``.ttinsn WORD``: any word, as its Tensix encoding (not rotated)
- ``.mopcfg INDEX, VALUE``: write MopCfg[INDEX]; VALUE is a number or ``{ instruction }``

A row's operands are described once, in the table (:mod:`tilelab.isa.syntax`). What the
disassembler prints, the assembler reads back to the same word: a word without a mnemonic, or with
bits that its mnemonic cannot carry, prints as ``.ttinsn``.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from difflib import get_close_matches
from typing import SupportsIndex

from tilelab.isa.instruction import InstructionSet
from tilelab.isa.syntax import OperandError, parse_number, shorten
from tilelab.sim.errors import BadInputError
from tilelab.tensix.arch import ARCHES
from tilelab.tensix.arch import arch as arch_named
from tilelab.tensix.words.ttinsn import from_ttinsn, to_ttinsn

__all__ = ["Program", "Statement", "assemble", "disassemble", "from_ttinsn", "to_ttinsn"]

THREADS = ARCHES["blackhole"].threads
MOP_CFG_WORDS = 9
DIRECTIVES = (".thread", ".ttinsn", ".mopcfg")


@dataclass(frozen=True)
class Statement:
    """One line of a program that does something."""

    line: int
    """Line number, from 1."""
    text: str
    """The line without comment and surrounding blanks."""
    thread: int
    word: int
    """The Tensix word, or the value written to MopCfg."""
    mop_cfg: int | None = None
    """Index of the MopCfg word that the statement writes; None for an instruction."""


@dataclass(frozen=True)
class Program:
    """An assembled text: its statements in the order of the text."""

    arch: str
    file: str
    statements: tuple[Statement, ...]

    @property
    def threads(self) -> tuple[int, ...]:
        """The threads that have statements, in increasing order."""
        return tuple(sorted({statement.thread for statement in self.statements}))

    def words(self, thread: int) -> list[int]:
        """Return the words that a thread pushes, in order."""
        return [s.word for s in self.statements if s.thread == thread and s.mop_cfg is None]

    def of(self, thread: int | None = None) -> tuple[Statement, ...]:
        """A thread's statements; of the only thread, if none is named.

        BadInputError if there are several to choose from, or the named one has no statement.
        """
        threads = self.threads
        if thread is None and len(threads) > 1:
            names = ", ".join(map(str, threads))
            raise BadInputError(f"{self.file} is for threads {names}: name one")
        if thread is not None and thread not in threads:
            raise BadInputError(f"{self.file} has nothing for thread {thread!r}")
        return tuple(s for s in self.statements if thread in (None, s.thread))


def assemble(text: str, arch: str = "blackhole", file: str = "<assembly>") -> Program:
    """Assemble a text; BadInputError with ``file:line:`` for the first line that is wrong."""
    if not isinstance(text, str):
        raise BadInputError(f"assembly is text, not {text!r}")
    instructions = arch_named(arch).instructions
    return Program(arch, file, tuple(_statements(text, instructions, file)))


def disassemble(word: int, arch: str = "blackhole") -> str:
    """Return a word's assembly; BadInputError if it is not a 32-bit word."""
    if not isinstance(word, SupportsIndex):
        raise BadInputError(f"{word!r} is no word: it is {type(word).__name__}")
    if not 0 <= word <= 0xFFFFFFFF:
        raise BadInputError(f"{shorten(f'{word:#x}')} is not a 32-bit word")
    row = arch_named(arch).instructions.find(word)
    text = row.disassemble(word) if row else None
    return f".ttinsn {word:#010x}" if text is None else text


def _statements(text: str, instructions: InstructionSet, file: str) -> Iterator[Statement]:
    thread = 1
    for number, line in enumerate(text.split("\n"), 1):
        statement = re.split(r"#|//", line, maxsplit=1)[0].strip()
        if not statement:
            continue
        name, operands = _split(statement)
        try:
            if name == ".thread":
                thread = _number(operands, "thread", THREADS)
            elif name == ".mopcfg":
                index, value = _mop_cfg(operands, instructions)
                yield Statement(number, statement, thread, value, index)
            else:
                word = _word(name, operands, instructions)
                yield Statement(number, statement, thread, word)
        except OperandError as error:
            raise BadInputError(f"{file}:{number}: {error}") from None


def _split(statement: str) -> tuple[str, str]:
    """Return a statement's lower-case first word and the rest."""
    name, *rest = statement.split(maxsplit=1)
    return name.lower(), rest[0] if rest else ""


def _word(name: str, operands: str, instructions: InstructionSet) -> int:
    """Return the word of an instruction or a ``.ttinsn``."""
    if name == ".ttinsn":
        return _number(operands, "word", 1 << 32)
    row = instructions.by_mnemonic.get(name)
    if row is None:
        raise OperandError(_unknown(name, instructions))
    texts = [item.strip() for item in operands.split(",")] if operands else []
    try:
        return row.syntax.assemble(texts)
    except OperandError as error:
        raise OperandError(f"{name}: {error}") from None


NEAR = 0.7
"""How much two names have in common, at least, that one is taken for a slip of the other."""


def _unknown(name: str, instructions: InstructionSet) -> str:
    what = "directive" if name.startswith(".") else "mnemonic"
    near = get_close_matches(name[:40], [*instructions.by_mnemonic, *DIRECTIVES], 1, NEAR)
    hint = f"; did you mean {near[0]}?" if near else ""
    return f"unknown {what} {shorten(name)!r}{hint}"


def _number(text: str, what: str, limit: int) -> int:
    value = parse_number(text)
    if not 0 <= value < limit:
        last = f"{limit - 1:#x}" if limit > 1 << 16 else str(limit - 1)
        raise OperandError(f"{what} {shorten(text)} is not in the range 0 to {last}")
    return value


def _mop_cfg(operands: str, instructions: InstructionSet) -> tuple[int, int]:
    """Return index and value of a ``.mopcfg``."""
    index_text, comma, value_text = operands.partition(",")
    if not comma:
        raise OperandError(".mopcfg wants two operands: INDEX, VALUE")
    index = _number(index_text.strip(), ".mopcfg index", MOP_CFG_WORDS)
    value_text = value_text.strip()
    inner = re.fullmatch(r"\{(.*)\}", value_text)
    if inner is None:
        return index, _number(value_text, ".mopcfg value", 1 << 32)
    if not inner[1].strip():
        raise OperandError(".mopcfg has no instruction between { and }")
    return index, _word(*_split(inner[1].strip()), instructions)
