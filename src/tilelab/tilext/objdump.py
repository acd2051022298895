"""Reading what compilers make: annotate ``objdump -d`` output, disassemble an ELF's code."""

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from tilelab.elf.reader import EXECINSTR, MAGIC, PROGBITS, RISC_V, Elf, ElfError
from tilelab.sim.errors import BadInputError
from tilelab.tilext.disassembler import Disassembler

ELF_MAGIC = MAGIC
_CODE_LINE = re.compile(
    r"^\s*[0-9a-f]+:\s+(?:(?P<word>[0-9a-f]{8})|(?P<bytes>(?:[0-9a-f]{2} ){3}[0-9a-f]{2}))(?=\s)"
)


def annotate(lines: Iterable[str], disassembler: Disassembler) -> Iterator[str]:
    """Yield objdump's lines; those that are words of the Tile Extension say what they are.

    Words belong together when objdump lists them one after the other, with no other instruction
    between. The first line of an instruction gets its text, the others a reference to it.
    """
    opcodes = set(disassembler.profile.opcode.values())
    held: list[tuple[str, int]] = []
    for raw in lines:
        line = raw.rstrip("\r\n")
        found = _CODE_LINE.match(line)
        if found and (word := _printed_word(found)) & 0x7F in opcodes:
            held.append((line, word))
            continue
        yield from _annotated(held, disassembler)
        held = []
        yield line
    yield from _annotated(held, disassembler)


def _printed_word(found: re.Match[str]) -> int:
    """Return the word on a line: GNU objdump prints it, older LLVM its bytes."""
    if found["bytes"]:
        return int.from_bytes(bytes.fromhex(found["bytes"]), "little")
    return int(found["word"], 16)


def _annotated(held: list[tuple[str, int]], disassembler: Disassembler) -> Iterator[str]:
    for item in disassembler.decode([word for _, word in held]):
        first = disassembler.text(item)
        if not item.certain:
            first = first.split("# ", 1)[1]
        for number in range(len(item.words)):
            line = held[item.index + number][0]
            yield f"{line}\t# {first}" if number == 0 else f"{line}\t# …"


@dataclass(frozen=True)
class CodeLine:
    """An instruction of the Tile Extension found in an ELF's section."""

    section: str
    address: int
    text: str
    problem: str = ""


def elf_code(data: bytes, name: str, disassembler: Disassembler) -> list[CodeLine]:
    """Return the Tile Extension's instructions in the executable sections of an ELF.

    BadInputError if the data is no 32- or 64-bit little-endian RISC-V ELF or is cut off.
    """
    found: list[CodeLine] = []
    for section, address, code in _sections(data, name):
        for start, words in _runs(code, set(disassembler.profile.opcode.values())):
            for item in disassembler.decode(words):
                place = address + start + 4 * item.index
                found.append(CodeLine(section, place, disassembler.text(item), item.problem))
    return found


@contextmanager
def reading(data: bytes, name: str) -> Iterator[Elf]:
    """Give a RISC-V ELF; BadInputError if it is none, or if what is read of it is damaged."""
    try:
        elf = Elf(data)
        if elf.machine != RISC_V:
            raise BadInputError(f"{name}: not a little-endian RISC-V ELF")
        yield elf
    except ElfError as error:
        raise BadInputError(f"{name}: cannot be read as an ELF: it {error}") from None


def _sections(data: bytes, name: str) -> list[tuple[str, int, bytes]]:
    """Return name, address and contents of an ELF's executable sections."""
    with reading(data, name) as elf:
        return [
            (section.name, section.address, elf.contents(section))
            for section in elf.sections
            if section.type == PROGBITS and section.flags & EXECINSTR
        ]


def read_words(data: bytes, name: str) -> list[int]:
    """Return the words of a text, one or more a line, or else of a little-endian binary."""
    try:
        lines = data.decode("utf-8-sig").splitlines()
        is_text = all("".join(line.split()).isprintable() for line in lines)
    except UnicodeDecodeError:
        is_text = False
    if not is_text:
        if len(data) % 4:
            raise BadInputError(f"{name}: neither text nor words: {len(data)} bytes")
        return [int.from_bytes(data[at : at + 4], "little") for at in range(0, len(data), 4)]
    words = []
    for number, line in enumerate(lines, 1):
        for token in re.split(r"#|//", line)[0].replace(",", " ").split():
            if number_or_directive := _word(token):
                words += number_or_directive
            elif token != ".word":
                raise BadInputError(f"line {number}: {token[:40]!r} is not a word")
    return words


def _word(token: str) -> list[int]:
    """Return the word that a token is, or nothing."""
    try:
        value = int(token, 0)
    except ValueError:
        return []
    return [value] if 0 <= value <= 0xFFFFFFFF else []


def _runs(data: bytes, opcodes: set[int]) -> Iterator[tuple[int, list[int]]]:
    """Yield offset and words of each unbroken run of our opcodes, stepping as RISC-V code does."""
    offset, start = 0, 0
    run: list[int] = []
    while offset + 2 <= len(data):
        short = data[offset] & 3 != 3
        word = int.from_bytes(data[offset : offset + 4], "little")
        if not short and offset + 4 <= len(data) and word & 0x7F in opcodes:
            start = offset if not run else start
            run.append(word)
        elif run:
            yield start, run
            run = []
        offset += 2 if short else 4
    if run:
        yield start, run
