"""Programs of a tile's cores: ELF files whose data belongs into the cores' own RAM."""

from pathlib import Path
from typing import Final

from tilelab.elf import program
from tilelab.elf.program import Program
from tilelab.tensix.arch import ARCHES
from tilelab.tensix.tables.tile_registers import LOCAL_RAM

__all__ = ["LARGEST_RAM", "Program", "load_elf", "program_of"]

LARGEST_RAM: Final = max(size for arch in ARCHES.values() for size in arch.local_ram)
ADDRESSES: Final = range(LOCAL_RAM, LOCAL_RAM + LARGEST_RAM)
"""Of the largest local RAM of a core, of any chip."""


def load_elf(path: str | Path) -> Program:
    """Read a core's program; BadInputError if the file is not one, or not one that can be."""
    return program.load_elf(path, ADDRESSES)


def program_of(image: bytes, path: Path) -> Program:
    """The program in a file's bytes; BadInputError, which names the file, as for load_elf."""
    return program.program_of(image, path, ADDRESSES)
