"""A small assembler for whole programs: RV64IM with its usual pseudo-instructions, tile lines,
labels and data. GNU syntax, as far as kernels need it; for more, ``tilelab tilext asm --gas`` and
a real assembler.

Directives: .text .data .rodata .bss .section .globl .align .p2align .balign .byte .half .word
.dword (and their other names) .zero .ascii .asciz .equ .set; those that say nothing about bytes
(.option, .type, .size, …) are read past.
"""

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from tilelab.isa.syntax import shorten
from tilelab.riscv.table import RV64, Format, Instruction
from tilelab.tilext.assembler import Assembler, at_line
from tilelab.tilext.errors import AssemblyError
from tilelab.tilext.gas import statements
from tilelab.tilext.registers import Kind, register_number
from tilelab.tilext.scalar.expressions import UnknownSymbolError, evaluate
from tilelab.tilext.scalar.pseudo import expand, li_steps

_DATA = {
    ".byte": 1,
    **dict.fromkeys((".half", ".short", ".2byte"), 2),
    **dict.fromkeys((".word", ".long", ".4byte"), 4),
    **dict.fromkeys((".dword", ".quad", ".8byte"), 8),
}
_PASSED = frozenset((".globl", ".global", ".local", ".weak", ".option", ".type", ".size"))
_PASSED |= {".file", ".ident", ".attribute", ".loc"}
_SECTIONS = {".text": ".text", ".data": ".data", ".rodata": ".data", ".bss": ".data"}
_LABEL = re.compile(r"\s*([\w.$]+)\s*:")
_MEMORY = re.compile(r"(.*)\(\s*(\w+)\s*\)\s*")
_CSRS = {"instret": 0xC02, "mhartid": 0xF14, "mscratch": 0x340}
_TARGETS = {Format.BRANCH: 13, Format.JUMP: 21}  # bits of how far they go
_SHIFTS = {Format.SHIFT: 31, Format.SHIFT_64: 63}  # by how much, at most
_LIMIT = 1 << 24  # bytes of one section


@dataclass(frozen=True)
class Item:
    """A statement at its place: a section, an offset in it, its length and its line."""

    section: str
    offset: int
    size: int
    line: int
    name: str
    rest: str


@dataclass(frozen=True)
class Program:
    """Bytes at addresses, where it begins, its symbols, and the line of each instruction."""

    segments: tuple[tuple[int, bytes], ...]
    entry: int
    symbols: dict[str, int]
    lines: dict[int, int]


@dataclass
class _Pass:
    symbols: dict[str, int] = field(default_factory=dict)
    labels: dict[str, tuple[str, int]] = field(default_factory=dict)
    numeric: list[tuple[str, str, int, int]] = field(default_factory=list)
    items: list[Item] = field(default_factory=list)
    ends: dict[str, int] = field(default_factory=lambda: {".text": 0, ".data": 0})
    section: str = ".text"


def assemble_program(text: str, assembler: Assembler, base: int = 0x1000) -> Program:
    """Assemble a program; the text begins at ``base``, the data at the next 64 bytes after it.

    The entry is ``_start``, else the first instruction. Errors name the line.
    """
    state = _Pass()
    for line, code in statements(text):
        with at_line(line):
            _place(state, assembler, line, code)
    data_base = base + state.ends[".text"] + 63 & ~63
    bases = {".text": base, ".data": data_base}
    symbols = state.symbols | {n: bases[s] + at for n, (s, at) in state.labels.items()}
    images = {section: bytearray(size) for section, size in state.ends.items()}
    lines = {}
    for number, item in enumerate(state.items):
        address = bases[item.section] + item.offset
        with at_line(item.line):
            here = symbols | _numeric(state, number, bases) | {".": address}
            made = b"".join(
                value.to_bytes(size, "little")
                for value, size in _encoded(item, address, here, assembler)
            )
        images[item.section][item.offset : item.offset + len(made)] = made
        if item.section == ".text":
            lines.update(dict.fromkeys(range(address, address + item.size, 4), item.line))
    segments = tuple((bases[s], bytes(image)) for s, image in images.items() if image)
    return Program(segments, symbols.get("_start", base), symbols, lines)


def _numeric(state: _Pass, number: int, bases: dict[str, int]) -> dict[str, int]:
    """Return what 1b and 1f mean at an item."""
    found: dict[str, int] = {}
    for name, section, offset, before in state.numeric:
        if before <= number:
            found[f"{name}b"] = bases[section] + offset
        else:
            found.setdefault(f"{name}f", bases[section] + offset)
    return found


def _place(state: _Pass, assembler: Assembler, line: int, code: str) -> None:
    """Note a statement's labels, and give what it makes a place."""
    while found := _LABEL.match(code):
        name, place = found[1], (state.section, state.ends[state.section])
        if name.isdigit():
            state.numeric.append((name, *place, len(state.items)))
        elif name in state.labels or name in state.symbols:
            raise AssemblyError(f"{shorten(name)} is defined twice")
        else:
            state.labels[name] = place
        code = code[found.end() :]
    name, _, rest = " ".join(code.split()).partition(" ")
    if "=" in name or rest.startswith("="):
        left, _, right = code.partition("=")
        name, rest = ".set", f"{left.strip()}, {right}"
    if not name or name in _PASSED:
        return
    if name in _SECTIONS or name == ".section":
        wanted = name if name != ".section" else "." + rest.lstrip(".").split(",")[0].split(".")[0]
        if wanted not in _SECTIONS:
            raise AssemblyError(f"there is no section {shorten(rest or name)!r}")
        state.section = _SECTIONS[wanted]
    elif name in (".equ", ".set"):
        symbol, _, value = rest.partition(",")
        state.symbols[symbol.strip()] = evaluate(value, state.symbols)
    else:
        _add(state, assembler, line, name, code.strip()[len(name) :].strip())


def _add(state: _Pass, assembler: Assembler, line: int, name: str, rest: str) -> None:
    offset = state.ends[state.section]
    size = _size(state, assembler, name, rest, offset)
    if offset + size > _LIMIT:
        raise AssemblyError(f"{name} makes the section larger than {_LIMIT} bytes")
    if not name.startswith(".") and (state.section != ".text" or offset % 4):
        raise AssemblyError(f"{name} is not at a word of .text")
    state.items.append(Item(state.section, offset, size, line, name, rest))
    state.ends[state.section] = offset + size


def _size(state: _Pass, assembler: Assembler, name: str, rest: str, offset: int) -> int:
    """Return how many bytes a statement makes."""
    if name in _DATA:
        return _DATA[name] * len(_split(rest))
    if name in (".ascii", ".asciz", ".string"):
        return len(_string(name, rest))
    if name in (".zero", ".space", ".skip"):
        return _count(name, rest, state.symbols)
    if name in (".align", ".p2align", ".balign"):
        value = _count(name, rest, state.symbols)
        value = value if name == ".balign" else 1 << min(value, 24)
        return -offset % (value or 1)
    if name.startswith("."):
        raise AssemblyError(f"unknown directive {shorten(name)}")
    if name in assembler.profile.table:
        return 4 * len(assembler.line(f"{name} {rest}"))
    if name == "li":
        return 4 * len(_li(rest, state.symbols))
    return 4 * len(expand(name, _split(rest)))


def _count(name: str, rest: str, symbols: dict[str, int]) -> int:
    """Return the first number of a directive."""
    value = evaluate((_split(rest) or [""])[0], symbols)
    if not 0 <= value <= _LIMIT:
        raise AssemblyError(f"{name} {value} is not in 0..{_LIMIT}")
    return value


def _split(text: str) -> list[str]:
    """Split operands at commas outside quotes and parentheses."""
    parts = re.findall(r"(?:\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^\\])'?|\([^)]*\)|[^,])+", text)
    return [part.strip() for part in parts if part.strip()]


def _string(name: str, text: str) -> bytes:
    out = b""
    for part in _split(text):
        try:
            value = ast.literal_eval(part)
        except (SyntaxError, ValueError):
            value = None
        if not isinstance(value, str) or not part.startswith('"'):
            raise AssemblyError(f"{name} wants a string in quotes, not {shorten(part)}")
        out += value.encode() + (b"" if name == ".ascii" else b"\0")
    return out


def _li(rest: str, symbols: dict[str, int]) -> list[tuple[str, list[str]]]:
    operands = _split(rest)
    if len(operands) != 2:
        raise AssemblyError("li wants a register and a number")
    try:
        value = evaluate(operands[1], symbols)
    except UnknownSymbolError as error:
        raise AssemblyError(f"{error.summary} before this li; la takes labels") from None
    return li_steps(operands[0], value)


def _encoded(
    item: Item, address: int, symbols: dict[str, int], assembler: Assembler
) -> Iterator[tuple[int, int]]:
    """Yield the numbers a statement makes and how many bytes each has."""
    name, rest = item.name, item.rest
    if name in _DATA:
        size = _DATA[name]
        for text in _split(rest):
            value = evaluate(text, symbols)
            if not -(1 << 8 * size - 1) <= value < 1 << 8 * size:
                raise AssemblyError(f"{name} {value} does not fit {8 * size} bits")
            yield value & (1 << 8 * size) - 1, size
    elif name in (".ascii", ".asciz", ".string"):
        for byte in _string(name, rest):
            yield byte, 1
    elif name.startswith("."):
        if name in (".align", ".p2align", ".balign") and item.section == ".text":
            for _ in range(item.size // 4):
                yield RV64.word("addi", 0, 0, 0), 4
    elif name in assembler.profile.table:
        for word in assembler.line(f"{name} {rest}"):
            yield word, 4
    else:
        steps = _li(rest, symbols) if name == "li" else expand(name, _split(rest))
        for number, (real, operands) in enumerate(steps):
            yield _instruction(RV64.rows[real], operands, address + 4 * number, symbols), 4


def _instruction(row: Instruction, operands: list[str], pc: int, symbols: dict[str, int]) -> int:
    """Return the word of a real instruction."""
    shape = row.format.value
    if row.format is Format.FENCE:
        return row.encode()
    if row.format is Format.JUMP_REGISTER and len(operands) == 3:
        operands = [operands[0], f"{operands[2]}({operands[1]})"]
    written = shape.syntax.split(", ") if shape.syntax else []
    if len(operands) != len(written):
        raise AssemblyError(f"{row.name} wants {len(written)} operands, {len(operands)} are given")
    values = {}
    for place, text in zip(written, operands, strict=True):
        names, texts = re.findall(r"{(\w+)}", place), [text]
        if len(names) == 2:
            found = _MEMORY.fullmatch(text)
            if found is None:
                raise AssemblyError(f"{row.name} wants offset(register), not {shorten(text)!r}")
            texts = [found[1].strip() or "0", found[2]]
        for name, part in zip(names, texts, strict=True):
            values[name] = _operand(row, name, part, symbols, pc)
    return row.encode(*(values[name] for name in shape.operands))


def _operand(row: Instruction, name: str, text: str, symbols: dict[str, int], pc: int) -> int:
    """Return an operand that fits its format; branches and jumps count from ``pc``."""
    if name in ("rd", "rs1", "rs2"):
        return _register(text)
    if name == "csr":
        number = _CSRS.get(text)
        return (evaluate(text, symbols) if number is None else number) & 0xFFF
    if name == "value":
        return _fit(row, text, symbols, 0, 31)
    if found := re.fullmatch(r"%(hi|lo) (.*)", text):
        offset = evaluate(found[2], symbols) - (pc if found[1] == "hi" else pc - 4)
        high = offset + 0x800 & ~0xFFF
        return high if found[1] == "hi" else offset - high
    if name == "upper":
        return _fit(row, text, symbols, -(1 << 19), (1 << 20) - 1) << 12
    if row.format in _SHIFTS:
        return _fit(row, text, symbols, 0, _SHIFTS[row.format])
    value, bits = evaluate(text, symbols), _TARGETS.get(row.format, 12)
    if name == "target":
        value -= pc
        if value & 1:
            raise AssemblyError(f"{row.name} to an odd address")
    if not -(1 << bits - 1) <= value < 1 << bits - 1:
        raise AssemblyError(f"{row.name}: {value} does not fit {bits} bits")
    return value


def _fit(row: Instruction, text: str, symbols: dict[str, int], low: int, high: int) -> int:
    value = evaluate(text, symbols)
    if not low <= value <= high:
        raise AssemblyError(f"{row.name}: {value} is not in {low}..{high}")
    return value


def _register(text: str) -> int:
    number = register_number(Kind.GPR, text)
    if number is None:
        raise AssemblyError(f"{shorten(text)!r} is not an integer register")
    return number
