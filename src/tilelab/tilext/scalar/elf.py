"""Linked RV64 ELFs: what to load where, the entry, and names for addresses."""

from io import BytesIO

from elftools.elf.elffile import ELFFile

from tilelab.sim.errors import BadInputError as BadInput
from tilelab.tilext.scalar.assembler import Program


def load_elf(data: bytes, name: str) -> Program:
    """Return a linked ELF as a program; BadInput if it is none, damaged, or not linked."""
    try:
        return _program(data, name)
    except BadInput:
        raise
    except Exception as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        raise BadInput(f"{name}: cannot be read as an ELF: {reason}") from None


def _program(data: bytes, name: str) -> Program:
    elf = ELFFile(BytesIO(data))
    if elf["e_machine"] != "EM_RISCV" or elf.elfclass != 64 or not elf.little_endian:
        raise BadInput(f"{name}: not a 64-bit little-endian RISC-V ELF")
    if elf["e_type"] == "ET_REL":
        raise BadInput(f"{name}: is not linked; link it, as with gcc -nostdlib -Wl,-Ttext=0x1000")
    segments = []
    for segment in elf.iter_segments():
        if segment["p_type"] == "PT_LOAD" and segment["p_filesz"]:
            content = segment.data()
            if len(content) < segment["p_filesz"]:
                raise BadInput(f"{name}: is cut off")
            segments.append((segment["p_paddr"], content))
    if not segments:
        raise BadInput(f"{name}: has nothing to load")
    symbols = {}
    for section in elf.iter_sections():
        if section["sh_type"] == "SHT_SYMTAB":
            for symbol in section.iter_symbols():  # type: ignore[attr-defined]
                if symbol.name and symbol["st_info"]["type"] in (
                    "STT_FUNC",
                    "STT_NOTYPE",
                    "STT_OBJECT",
                ):
                    symbols[symbol.name] = symbol["st_value"]
    return Program(tuple(segments), elf["e_entry"], symbols, {})
