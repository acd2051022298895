"""Programs for the cores, from the ELF files that compilers make.

What is loaded: sections ``.init``, ``.text`` and ``.ldm_data``, nothing else, because the program
headers also describe placeholders. ``.ldm_data`` belongs into the core's local RAM, which only the
core itself reaches: it is put at ``.loader_init``, whence the program's start-up code copies it.
"""

import io
import re
from bisect import bisect_right
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Final

from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from tilelab.sim.errors import BadInputError
from tilelab.tensix.tables.tile_registers import LOCAL_RAM

LOADED: Final = (".init", ".text", ".ldm_data")
CODE: Final = (".init", ".text")
HEADER_BYTES: Final = 52
ELF32, LITTLE_ENDIAN, EXECUTABLE, RISC_V = 1, 1, 2, 243


@dataclass(frozen=True)
class Program:
    """A program ready to be written to L1.

    ``segments``: (L1 address, contents). ``symbols``: (address, name) of code, by address.
    """

    path: Path
    entry: int
    segments: tuple[tuple[int, bytes], ...]
    symbols: tuple[tuple[int, str], ...] = ()
    image: bytes = field(default=b"", repr=False)

    def function(self, pc: int) -> str:
        """The function that an address belongs to, as ``name`` or ``name+0x12``; "" if none."""
        index = bisect_right(self.symbols, pc, key=lambda symbol: symbol[0]) - 1
        if index < 0 or not self._has_code(pc):
            return ""
        address, name = self.symbols[index]
        return f"{name}+{pc - address:#x}" if pc > address else name

    def line(self, pc: int) -> str:
        """The source line of an address, as ``file.cpp:12``; "" if the file does not say."""
        index = bisect_right(self._lines, pc, key=lambda row: row[0]) - 1
        return self._lines[index][1] if index >= 0 and self._has_code(pc) else ""

    def describe(self, pc: int) -> str:
        """Function and source line of an address, as far as they are known."""
        return ", ".join(text for text in (self.function(pc), self.line(pc)) if text)

    def _has_code(self, pc: int) -> bool:
        return any(start <= pc < start + len(data) for start, data in self.segments)

    @cached_property
    def _lines(self) -> list[tuple[int, str]]:
        """(address, file:line) by address, from DWARF; read when first asked for."""
        try:
            return _read_lines(self.image)
        except Exception:  # damaged debugging data costs the line numbers, not the run
            return []


def load_elf(path: str | Path) -> Program:
    """Read a core's program; BadInputError if the file is not one."""
    path = Path(path)
    try:
        image = path.read_bytes()
    except FileNotFoundError:
        raise BadInputError(f"{path}: there is no such file") from None
    except OSError as error:
        raise BadInputError(f"{path}: cannot be read ({error.strerror})") from None
    if problem := _problem(image):
        raise BadInputError(f"{path}: {problem}")
    try:
        elf = ELFFile(io.BytesIO(image))
        sections = {section.name: section for section in elf.iter_sections()}
        if ".init" not in sections:
            raise BadInputError(f"{path}: has no .init section, where a program starts")
        segments = tuple(_segments(path, sections))
        symbols = _symbols(elf)
        entry = int(sections[".init"]["sh_addr"])
    except BadInputError:
        raise
    except Exception as error:  # whatever the parser makes of damaged tables
        raise BadInputError(f"{path}: is a damaged ELF file ({error or type(error)})") from None
    return Program(path, entry, segments, symbols, image)


def _problem(image: bytes) -> str:
    """Say why an image cannot be a program, as far as its header tells; "" if it can."""
    if image[:4] != b"\x7fELF":
        return "is not an ELF file"
    if len(image) < HEADER_BYTES:
        return "is a truncated ELF file"
    if image[4] != ELF32:
        return "is a 64-bit ELF file: the cores are 32-bit"
    if image[5] != LITTLE_ENDIAN:
        return "is a big-endian ELF file: the cores are little-endian"
    machine = int.from_bytes(image[18:20], "little")
    if machine != RISC_V:
        return f"is an ELF file for another machine (number {machine}): the cores are RISC-V"
    kind = int.from_bytes(image[16:18], "little")
    if kind != EXECUTABLE:
        return "is not linked: give the executable, not an object file"
    table = int.from_bytes(image[32:36], "little")
    entry_size, count = (int.from_bytes(image[i : i + 2], "little") for i in (46, 48))
    if not table or not count:
        return "has no sections"
    if table + entry_size * count > len(image):
        return "is a truncated ELF file"
    return ""


def _segments(path: Path, sections: dict[str, Any]) -> list[tuple[int, bytes]]:
    found = []
    for name in LOADED:
        section = sections.get(name)
        if section is None or section["sh_type"] == "SHT_NOBITS" or not section["sh_size"]:
            continue
        data = bytes(section.data())
        if len(data) != section["sh_size"]:
            raise BadInputError(f"{path}: is a truncated ELF file")
        address = int(section["sh_addr"])
        if address >= LOCAL_RAM:
            if ".loader_init" not in sections:
                raise BadInputError(
                    f"{path}: {name} is for local RAM, but there is no .loader_init to put it at"
                )
            address += int(sections[".loader_init"]["sh_addr"]) - LOCAL_RAM
        found.append((address, data))
    return found


def _symbols(elf: ELFFile) -> tuple[tuple[int, str], ...]:
    """Functions, and labels of start-up code, by address; functions' names win."""
    table = elf.get_section_by_name(".symtab")
    if not isinstance(table, SymbolTableSection):
        return ()
    code = {i for i, section in enumerate(elf.iter_sections()) if section.name in CODE}
    functions: dict[int, str] = {}
    labels: dict[int, str] = {}
    for symbol in table.iter_symbols():
        kind = symbol["st_info"]["type"]
        if symbol["st_shndx"] not in code or not symbol.name or symbol.name.startswith("$"):
            continue
        if kind == "STT_FUNC":
            functions[int(symbol["st_value"])] = plain_name(symbol.name)
        elif kind == "STT_NOTYPE":
            labels[int(symbol["st_value"])] = symbol.name
    return tuple(sorted((labels | functions).items()))


def plain_name(symbol: str) -> str:
    """A C++ function's name without its parameters and template arguments; C names stay."""
    match = re.match(r"_ZN?[KVr]*", symbol)
    if match is None:
        return symbol
    parts = []
    rest = symbol[match.end() :]
    while found := re.match(r"L?(\d+)", rest):
        end = found.end() + int(found[1])
        parts.append(rest[found.end() : end])
        rest = rest[end:]
    return "::".join(parts) or symbol


def _read_lines(image: bytes) -> list[tuple[int, str]]:
    elf = ELFFile(io.BytesIO(image))
    rows: list[tuple[int, str]] = []
    if not elf.has_dwarf_info():
        return rows
    dwarf = elf.get_dwarf_info()
    for unit in dwarf.iter_CUs():
        program = dwarf.line_program_for_CU(unit)
        if program is None:
            continue
        # files are numbered from 1 up to DWARF 4, from 0 since
        first = 0 if program.header["version"] >= 5 else 1
        names = [entry.name.decode() for entry in program.header["file_entry"]]
        for entry in program.get_entries():
            state = entry.state
            if state is None:
                continue
            end = state.end_sequence
            rows.append((state.address, "" if end else f"{names[state.file - first]}:{state.line}"))
    return sorted(rows, key=lambda row: row[0])
