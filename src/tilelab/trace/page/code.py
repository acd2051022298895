"""What the page's source panel shows: the author's files, and each core's machine code.

A program's own lines are the first of a place's frames; the file is looked for beside its ELF.
"""

from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

from tilelab.elf.program import Program
from tilelab.sim.errors import BadInputError
from tilelab.sim.files import MIB, read_file
from tilelab.tensix.riscv.listing import listing
from tilelab.tensix.riscv.sources import Sources

LARGEST = 1 * MIB
"""Bytes of a source file that a page takes in."""
MOST_INSTRUCTIONS = 20_000
"""Of one core's code that a page takes in: the first ones."""


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
    some = islice(listing(program, chip), MOST_INSTRUCTIONS)
    return [[one.pc, one.text, int(one.tensix), line(one.pc)] for one in some]


def lines_of(path: Path) -> list[str]:
    """A file's lines; none if it is not there any more."""
    try:
        return read_file(path, LARGEST).decode("utf-8", "replace").splitlines()
    except BadInputError:
        return []
