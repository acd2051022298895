"""The machine code of a core's program as text: RISC-V instructions, the Tensix's among them."""

from collections.abc import Iterator
from typing import NamedTuple

from tilelab.elf.program import INSTRUCTION_BYTES, Program
from tilelab.riscv.disassembly import disassemble
from tilelab.tensix.words.assembly import disassemble as disassemble_tensix
from tilelab.tensix.words.ttinsn import from_ttinsn

NOT_RISCV = 3
"""The low bits of RISC-V's 32-bit instructions; a Tensix instruction lacks one of them."""


class Listed(NamedTuple):
    """One instruction: its address, its word as it stands there, its text, whose it is."""

    pc: int
    word: int
    text: str
    tensix: bool


def listing(program: Program, arch: str) -> Iterator[Listed]:
    """The instructions of a program for a chip, in the order of its sections and addresses."""
    for start, data in program.segments:
        code = next((part for part in program.code if start in part), range(0))
        for pc in range(start, min(start + len(data), code.stop) - 3, INSTRUCTION_BYTES):
            at = pc - start
            word = int.from_bytes(data[at : at + INSTRUCTION_BYTES], "little")
            tensix = word & NOT_RISCV != NOT_RISCV
            text = disassemble_tensix(from_ttinsn(word), arch) if tensix else disassemble(word, pc)
            yield Listed(pc, word, text, tensix)
