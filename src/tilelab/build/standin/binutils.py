"""The tools beside the compiler that its users call: ``size``, ``nm``, ``objcopy``."""

import sys
from pathlib import Path

from tilelab.build.standin.objects import read_object, symbols
from tilelab.elf.reader import (
    ABSOLUTE,
    ALLOC,
    COMMON,
    EXECINSTR,
    NOBITS,
    UNDEFINED,
    WEAK,
    WRITE,
    Section,
    Symbol,
)
from tilelab.sim.errors import BadInputError
from tilelab.sim.files import telling


def size(words: list[str]) -> str:
    """Sizes in bytes of what is loaded, in the Berkeley form."""
    if any(word.startswith("-") for word in words) or not words:
        raise BadInputError("usage: size FILE...")
    lines = ["   text\t   data\t    bss\t    dec\t    hex\tfilename"]
    for name in words:
        loaded = [s for s in read_object(Path(name)).sections if s.flags & ALLOC]
        bss = sum(s.size for s in loaded if s.type == NOBITS)
        kept = [s for s in loaded if s.type != NOBITS]
        data = sum(s.size for s in kept if s.flags & WRITE and not s.flags & EXECINSTR)
        text = sum(s.size for s in kept) - data
        total = text + data + bss
        lines.append(f"{text:7d}\t{data:7d}\t{bss:7d}\t{total:7d}\t{total:7x}\t{name}")
    return "\n".join(lines) + "\n"


def nm(words: list[str]) -> str:
    """Addresses, kinds and names of symbols, sorted by name."""
    if any(word.startswith("-") for word in words) or not words:
        raise BadInputError("usage: nm FILE...")
    lines = []
    for name in words:
        elf = read_object(Path(name))
        if len(words) > 1:
            lines.append(f"\n{name}:")
        for symbol in sorted(symbols(elf), key=lambda each: each.name):
            place = " " * 8 if symbol.section == UNDEFINED else f"{symbol.value:08x}"
            lines.append(f"{place} {_kind(symbol, elf.sections)} {symbol.name}")
    return "\n".join(lines) + "\n"


def _kind(symbol: Symbol, sections: list[Section]) -> str:
    if symbol.section == UNDEFINED:
        return "w" if symbol.binding == WEAK else "U"
    if symbol.binding == WEAK:
        return "W"
    if symbol.section in (ABSOLUTE, COMMON):
        letter = "a" if symbol.section == ABSOLUTE else "c"
    else:
        section = sections[symbol.section]
        if section.type == NOBITS:
            letter = "b"
        elif section.flags & EXECINSTR:
            letter = "t"
        else:
            letter = "d" if section.flags & WRITE else "r" if section.flags & ALLOC else "n"
    return letter.upper() if symbol.binding else letter


def objcopy(words: list[str]) -> str:
    """``-O binary [-j SECTION]... IN OUT``: bytes of sections, as they lie from the lowest on."""
    names, files, rest = [], [], list(words)
    binary = False
    while rest:
        word = rest.pop(0)
        if word in ("-O", "-j") and rest:
            value = rest.pop(0)
            names += [value] if word == "-j" else []
            binary |= (word, value) == ("-O", "binary")
        else:
            files.append(word)
    if not binary or len(files) != 2 or any(file.startswith("-") for file in files):
        raise BadInputError("usage: objcopy -O binary [-j SECTION]... IN OUT")
    elf = read_object(Path(files[0]))
    chosen = [
        s
        for s in elf.sections
        if (s.name in names if names else s.flags & ALLOC) and s.type != NOBITS and s.size
    ]
    first = min((s.address for s in chosen), default=0)
    image = bytearray(max((s.address + s.size for s in chosen), default=0) - first)
    for section in chosen:
        at = section.address - first
        image[at : at + section.size] = elf.contents(section)
    with telling(files[1]):
        Path(files[1]).write_bytes(image)
    return ""


TOOLS = {"size": size, "nm": nm, "objcopy": objcopy}


def main(name: str) -> int:
    """Run the tool of that name with the process's arguments; the exit code."""
    try:
        sys.stdout.write(TOOLS[name](sys.argv[1:]))
    except BadInputError as error:
        print(f"{name}: {error}", file=sys.stderr)
        return 1
    return 0
