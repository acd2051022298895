"""Reading what compilers make: annotate ``objdump -d`` output, disassemble an ELF's code."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from elftools.common.exceptions import ELFError
from elftools.elf.elffile import ELFFile

from tilelab.tilext.disassembler import Disassembler
from tilelab.tilext.errors import BadInput

_CODE_LINE = re.compile(r"^\s*(?P<address>[0-9a-f]+):\s+(?P<word>[0-9a-f]{8})(?=\s)")
_EXECINSTR = 0x4


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
        if found and int(found["word"], 16) & 0x7F in opcodes:
            held.append((line, int(found["word"], 16)))
            continue
        yield from _annotated(held, disassembler)
        held = []
        yield line
    yield from _annotated(held, disassembler)


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


def disassemble_elf(path: Path, disassembler: Disassembler) -> list[CodeLine]:
    """Return the Tile Extension's instructions in the executable sections of an ELF.

    BadInput if the file is no 32- or 64-bit little-endian RISC-V ELF or is cut off.
    """
    try:
        with path.open("rb") as stream:
            elf = ELFFile(stream)
            if elf["e_machine"] != "EM_RISCV" or not elf.little_endian:
                raise BadInput(f"{path}: not a little-endian RISC-V ELF")
            sections = [
                (section.name, section["sh_addr"], section.data())
                for section in elf.iter_sections()
                if section["sh_type"] == "SHT_PROGBITS" and section["sh_flags"] & _EXECINSTR
            ]
    except (ELFError, OSError, ValueError, UnicodeDecodeError) as error:
        raise BadInput(f"{path}: cannot be read as an ELF: {error}") from None
    found: list[CodeLine] = []
    for name, address, data in sections:
        for start, words in _runs(data, set(disassembler.profile.opcode.values())):
            for item in disassembler.decode(words):
                place = address + start + 4 * item.index
                found.append(CodeLine(name, place, disassembler.text(item)))
    return found


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
