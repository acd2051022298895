"""Exports: the table as JSON, and riscv-opcodes and RISC-V unified-db (UDB) as far as they reach.

The latter two describe single 16-, 32- or 48-bit words, so each word of an instruction becomes an
entry of its own, named ``<instruction>.w<slot>``. Not expressible: that the words belong together
and in which order, fields tied across words, and provenance. Words with the same pattern in several
instructions are one entry; a word with a choice of register or immediate is two, the register's
ending in ``.r``. In riscv-opcodes, whose entries must not overlap, a word whose pattern is a case
of another's is a ``$pseudo_op`` of it; words that overlap without one containing the other are
left out and listed.
"""

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field, replace

from tilelab.isa.multiword import Cell, Word
from tilelab.tilext.profile import Profile, ProfileWord
from tilelab.tilext.templates import template

_EXTENSION = "rv_xtilext"
_STANDARD = {("rd", 11, 7), ("rs1", 19, 15), ("rs2", 24, 20)}


@dataclass
class Entry:
    """One word pattern and the instructions that have it in that slot."""

    name: str
    word: Word
    instructions: list[str] = field(default_factory=list)

    @property
    def mask(self) -> int:
        """Fixed bits; unassigned bits count as fixed 0 (question unassigned-bits)."""
        return self.word.mask | self.word.unassigned

    @property
    def operands(self) -> list[Cell]:
        """The cells that hold operands, highest first."""
        cells = [cell for cell in self.word.cells if not cell.constant]
        return sorted(cells, key=lambda cell: -cell.field.hi)


def entries(profile: Profile) -> list[Entry]:
    """Return the distinct word patterns of a profile."""
    found: dict[tuple[int, int, int, tuple[str, ...]], Entry] = {}
    for name, instruction in profile.instructions.items():
        for whole in instruction.words:
            for suffix, word in _variants(whole):
                labels = tuple(sorted(cell.text for cell in word.cells if not cell.constant))
                key = (word.slot, word.mask | word.unassigned, word.match, labels)
                udb_name = f"{name.replace('_', '')}.w{word.slot}{suffix}"
                found.setdefault(key, Entry(udb_name, word)).instructions.append(name)
    return list(found.values())


def _variants(word: Word) -> Iterator[tuple[str, Word]]:
    """Yield a word as it is, or its two readings where a cell is a choice."""
    choice = next((cell for cell in word.cells if cell.selector), None)
    if choice is None or choice.other is None:
        yield "", word
        return
    zeros = "" if choice.other.operand else "0" * choice.field.width
    for suffix, digit, part, digits in (
        ("", "0", choice.other, zeros),
        (".r", "1", choice.part, ""),
    ):
        cells = []
        for cell in word.cells:
            if cell is choice:
                cells.append(replace(cell, part=part, digits=digits, selector="", other=None))
            elif cell.part.operand == choice.selector:
                cells.append(replace(cell, digits=digit))
            else:
                cells.append(cell)
        yield suffix, Word(word.slot, tuple(cells))


def _overlap(a: Entry, b: Entry) -> bool:
    return not (a.word.match ^ b.word.match) & a.mask & b.mask


def _argument(cell: Cell) -> str:
    """Return a cell's name in arg_lut.csv; every place has a name of its own."""
    hi, lo = cell.field.hi, cell.field.lo
    name = cell.part.operand.lower().replace("/", "_")
    if (name, hi, lo) in _STANDARD:
        return name
    return f"tx_{name}_{hi}_{lo}"


def _opcodes_line(entry: Entry) -> str:
    parts = [entry.name]
    for cell in entry.operands:
        if "x" in cell.digits:  # a pattern such as 1xxxxx: fixed bits, then the rest
            fixed = cell.digits.rstrip("x")
            hi, lo = cell.field.hi, cell.field.hi - len(fixed) + 1
            parts.append(_fixed(hi, lo, fixed))
            parts.append(f"tx_{cell.part.operand}_{lo - 1}_{cell.field.lo}")
        else:
            parts.append(_argument(cell))
    for cell in entry.word.cells:
        if cell.constant:
            parts.append(_fixed(cell.field.hi, cell.field.lo, cell.digits))
    bits = [bit for bit in range(31, -1, -1) if entry.word.unassigned >> bit & 1]
    return " ".join(parts + [f"{bit}=0" for bit in bits])


def _fixed(hi: int, lo: int, digits: str) -> str:
    bits = str(hi) if hi == lo else f"{hi}..{lo}"
    return f"{bits}={int(digits, 2)}"


def riscv_opcodes(profile: Profile) -> dict[str, str]:
    """Return ``rv_xtilext`` and the rows to append to ``arg_lut.csv``."""
    lines = [
        f"# Tile Extension, profile {profile.name}. One entry for each word; that words form one",
        "# instruction, and in which order, this format cannot say.",
    ]
    arguments: dict[str, tuple[int, int]] = {}
    kept: list[Entry] = []
    for entry in sorted(entries(profile), key=lambda e: e.mask.bit_count()):
        others = [e for e in kept if _overlap(e, entry)]
        bases = [e for e in others if e.mask & entry.mask == e.mask]
        if len(others) > len(bases):
            lines.append(f"# left out, overlaps {others[0].name}: {_opcodes_line(entry)}")
            continue
        if len(entry.instructions) > 1:
            lines.append(f"# {entry.name}: in {', '.join(entry.instructions)}")
        line = _opcodes_line(entry)
        if bases:
            line = f"$pseudo_op {_EXTENSION}::{bases[0].name} {line}"
        else:
            kept.append(entry)
        lines.append(line)
        for argument in line.split():
            if argument.startswith("tx_"):
                hi, lo = argument.rsplit("_", 2)[1:]
                arguments[argument] = int(hi), int(lo)
    table = [f'"{name}", {hi}, {lo}' for name, (hi, lo) in sorted(arguments.items())]
    return {_EXTENSION: "\n".join(lines) + "\n", "arg_lut.csv": "\n".join(table) + "\n"}


def as_json(profile: Profile) -> str:
    """Return the whole table as JSON: instructions, words, cells and their origins."""
    found = []
    for name, words in profile.words.items():
        row = profile.table[name]
        found.append(
            {
                "name": name,
                "title": row.title,
                "line": row.line,
                "encodable": name in profile.instructions,
                "words": [
                    {"slot": w.slot, "lost": w.lost, "cells": _cells(name, w)} for w in words
                ],
            }
        )
    document = {"profile": profile.name, "order": profile.order, "instructions": found}
    return json.dumps(document, indent=1, ensure_ascii=False) + "\n"


def _cells(name: str, word: ProfileWord) -> list[dict[str, str | int]]:
    return [
        {
            "label": cell.label,
            "hi": cell.field.hi,
            "lo": cell.field.lo,
            "bits": cell.digits,
            **asdict(word.origin(name, cell)),
        }
        for cell in (word.word.cells if word.word is not None else ())
        if cell.field.name != "opcode"
    ]


def unified_db(profile: Profile) -> dict[str, str]:
    """Return the extension's file and one for each word pattern, by path below ``isa/``."""
    files = {f"inst/Xtilext/{e.name}.yaml": _udb_file(profile, e) for e in entries(profile)}
    return {"ext/Xtilext.yaml": template("Xtilext.yaml", profile=profile.name)} | files


def _udb_file(profile: Profile, entry: Entry) -> str:
    digits = "".join(
        ("1" if entry.word.match >> bit & 1 else "0") if entry.mask >> bit & 1 else "-"
        for bit in range(31, -1, -1)
    )
    titles = "; ".join(dict.fromkeys(profile.table[name].title for name in entry.instructions))
    variables = ["  variables:"] if entry.operands else []
    for cell in entry.operands:
        free = len(cell.digits) - len(cell.digits.rstrip("x")) if cell.digits else cell.field.width
        hi, lo = cell.field.lo + free - 1, cell.field.lo
        place = f"{hi}-{lo}" if hi != lo else f"{hi}"
        variables += [f"    - name: {_variable(cell)}", f"      location: {place}"]
        if cell.part.low:
            variables.append(f"      left_shift: {cell.part.low}")
    return template(
        "instruction.yaml",
        name=entry.name,
        long_name=json.dumps(f"Word {entry.word.slot} of {titles}", ensure_ascii=False),
        slot=entry.word.slot,
        instructions=", ".join(entry.instructions),
        profile=profile.name,
        assembly=", ".join(map(_variable, entry.operands)),
        match=digits,
        variables="\n".join(variables),
    )


def _variable(cell: Cell) -> str:
    return cell.part.operand.replace("/", "_")
