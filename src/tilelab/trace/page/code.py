"""What the page's source panel shows: the author's files, and each core's machine code.

A program's own lines are the first of a place's frames; the file is looked for beside its ELF.
"""

from functools import cache
from pathlib import Path
from typing import Any

from tilelab.elf.program import Program
from tilelab.riscv.disassembly import disassemble
from tilelab.sim.errors import BadInputError
from tilelab.sim.files import MIB, read_file
from tilelab.tensix.riscv.sources import Sources
from tilelab.tensix.words.assembly import disassemble as disassemble_tensix
from tilelab.tensix.words.ttinsn import from_ttinsn

LARGEST = 1 * MIB
"""Bytes of a source file that a page takes in."""
MOST_INSTRUCTIONS = 20_000
"""Of one core's code that a page takes in: the first ones."""
INSTRUCTION, NOT_RISCV = 4, 3
"""Bytes of an instruction; the low bits that tell RISC-V's from the Tensix's, which lack them."""


def code(sources: Sources, chip: str) -> dict[str, Any]:
    """``files``: the lines of each source file by its name; ``code``: of each core, by number.

    An instruction is its address, its text, whether it is the coprocessor's, and its author's line
    as ``kernel.cpp:31`` ("" if unknown).
    """
    listings = {
        str(core): _listing(core, program, sources, chip)
        for core, program in sorted(sources.programs.items())
    }
    files: dict[str, list[str]] = {}
    for core, rows in listings.items():
        folder = sources.programs[int(core)].path.parent
        for name in {row[3].rpartition(":")[0] for row in rows} - files.keys() - {""}:
            if lines := lines_of(folder / name):
                files[name] = lines
    if sources.host_file and (lines := lines_of(Path(sources.host_file))):
        files[sources.host_file] = lines
    return {"files": files, "code": listings}


def _listing(core: int, program: Program, sources: Sources, chip: str) -> list[list[Any]]:
    line = cache(lambda pc: sources.line(core, pc))
    starts = [address for address, _ in program.symbols]
    rows: list[list[Any]] = []
    for start, data in program.segments:
        if not any(start <= address < start + len(data) for address in starts):
            continue  # data
        for at in range(0, len(data) - INSTRUCTION + 1, INSTRUCTION):
            if len(rows) >= MOST_INSTRUCTIONS:
                return rows
            word, pc = int.from_bytes(data[at : at + INSTRUCTION], "little"), start + at
            ours = word & NOT_RISCV != NOT_RISCV
            text = disassemble_tensix(from_ttinsn(word), chip) if ours else disassemble(word, pc)
            rows.append([pc, text, int(ours), line(pc)])
    return rows


def lines_of(path: Path) -> list[str]:
    """A file's lines; none if it is not there any more."""
    try:
        return read_file(path, LARGEST).decode("utf-8", "replace").splitlines()
    except BadInputError:
        return []
