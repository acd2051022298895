"""The instruction reference: pages generated from the tables, one for each unit.

``python tools/reference_pages.py FOLDER`` writes the pages into a folder.
"""

import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

from tilelab.isa.field import Field
from tilelab.isa.instruction import Instruction
from tilelab.isa.syntax import REGISTERS, SIGNED, Kind, Operand
from tilelab.tensix.chips.blackhole.rows import INSTRUCTIONS as BLACKHOLE
from tilelab.tensix.chips.wormhole.rows import INSTRUCTIONS as WORMHOLE
from tilelab.tensix.tables.units import Block, Unit

CHIPS = (BLACKHOLE, WORMHOLE)
MANUAL = "https://github.com/tenstorrent/tt-isa-documentation/blob/main/{}/TensixTile/TensixCoprocessor/{}"
INDEX = "README.md"


def pages() -> dict[str, str]:
    """Return the text of every page by file name."""
    texts = {INDEX: _index()}
    for unit in Unit:
        texts[_file(unit)] = "\n".join(_unit_page(unit)) + "\n"
    return texts


def write(folder: Path) -> None:
    """Write the pages into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in pages().items():
        (folder / name).write_text(text, encoding="utf-8", newline="\n")


def diagram(row: Instruction) -> str:
    """Draw a row's word: the bits of each field above, its name below, ``-`` where none is."""
    tops, cells = [], []
    for field in _cells(row):
        bits = str(field.hi) if field.width == 1 else f"{field.hi}:{field.lo}"
        width = max(len(bits), len(field.name))
        tops.append(f" {bits:^{width}} ")
        cells.append(f" {field.name:^{width}} ")
    return f" {' '.join(tops)}".rstrip() + f"\n|{'|'.join(cells)}|"


def _cells(row: Instruction) -> Iterator[Field]:
    """Yield what covers the word from bit 31 down, unused bits included."""
    yield Field(f"{row.opcode:#04x}", 31, 24)
    ends = [Field("", 24, 24), *sorted(row.fields, key=lambda f: -f.lo), Field("", 0, 0)]
    for above, field in pairwise(ends):
        top = field.hi if field is not ends[-1] else -1
        if above.lo - 1 > top:
            yield Field("-", above.lo - 1, top + 1)
        if field is not ends[-1]:
            yield field


def _file(unit: Unit) -> str:
    return f"{unit.value.replace('_', '-')}.md"


def _title(unit: Unit) -> str:
    return unit.value.replace("_", " ").capitalize()


def _names(unit: Unit) -> list[str]:
    """Return the unit's instructions, in opcode order."""
    rows = {row.name: row.opcode for chip in CHIPS for row in chip.values() if row.unit == unit}
    return sorted(rows, key=lambda name: rows[name])


def _index() -> str:
    lines = [
        "# Tensix instruction reference",
        "",
        "Generated from the instruction tables; do not edit.",
        "To generate: `python tools/reference_pages.py docs/reference`.",
        "",
        "A `-` in a diagram marks bits that no known part of the hardware reads.",
        "Terms are in the [glossary](../glossary.md).",
        f"Blackhole has {len(BLACKHOLE)} instructions, Wormhole {len(WORMHOLE)}.",
        "",
        "| unit | instructions |",
        "|---|---|",
    ]
    for unit in Unit:
        links = [f"[{name}]({_file(unit)}#{name.lower()})" for name in _names(unit)]
        lines.append(f"| [{_title(unit)}]({_file(unit)}) | {', '.join(links)} |")
    return "\n".join(lines) + "\n"


def _unit_page(unit: Unit) -> Iterator[str]:
    yield f"# {_title(unit)}"
    yield ""
    yield "Generated from the instruction tables; do not edit. [All units](README.md)"
    for name in _names(unit):
        yield ""
        yield f"## {name}"
        rows = {chip.chip: chip[name] for chip in CHIPS if name in chip}
        bodies = {chip: list(_body(row)) for chip, row in rows.items()}
        if len(set(map(tuple, bodies.values()))) == 1:
            yield from _section(list(rows), rows, next(iter(bodies.values())))
        else:
            for chip in rows:
                yield from _section([chip], rows, bodies[chip])


def _section(chips: list[str], rows: dict[str, Instruction], body: list[str]) -> Iterator[str]:
    yield ""
    manual = ", ".join(dict.fromkeys(_manual(rows[chip]) for chip in chips))
    yield f"**{' and '.join(chip.capitalize() for chip in chips)}** · {manual}"
    yield from body


def _manual(row: Instruction) -> str:
    """Return a link to the row's manual page, which names the manual that has it."""
    if not row.page:
        return "no manual page"
    return f"[{row.page}]({MANUAL.format(*row.page.split('/'))})"


def _body(row: Instruction) -> Iterator[str]:
    """Yield all that depends on the row but the page."""
    yield ""
    yield "```text"
    yield from diagram(row).split("\n")
    yield "```"
    yield ""
    if row.mnemonic:
        operands = ", ".join(op.field.name for op in row.syntax.written)
        yield f"- assembly: `{f'{row.mnemonic} {operands}'.rstrip()}`{_aliases(row)}"
    else:
        yield f"- assembly: no mnemonic; `.ttinsn {row.opcode << 24:#010x}`"
    yield f"- macro: `TT_OP_{row.name}({', '.join(field.name for field in row.macro)})`"
    yield f"- held by the block bits: {_blocks(row)}"
    if row.syntax.written:
        yield ""
        yield "| operand | bits | values |"
        yield "|---|---|---|"
        number = ""
        for op in row.operands:
            yield f"| `{op.field.name}` | {_bits(op)} | {_values(op, number)} |"
            number = op.field.name if op.kind is Kind.BYMOD else ""


def _aliases(row: Instruction) -> str:
    return "".join(f", also `{alias}`" for alias in row.aliases)


def _blocks(row: Instruction) -> str:
    if not row.block_mask:
        return "none, it does not reach the wait gate"
    bits = [f"B{bit}" for bit in range(Block.ALL.bit_length()) if row.block_mask >> bit & 1]
    if row.blocked_by_all:
        return "all nine together"
    return "any" if row.block_mask == Block.ALL else " or ".join(bits)


def _bits(op: Operand) -> str:
    bits = f"{op.field.hi}:{op.field.lo}" if op.field.width > 1 else str(op.field.lo)
    return f"{bits} and 0" if op.kind is Kind.MACROREG else bits


def _values(op: Operand, number: str) -> str:
    """Say which values an operand takes; ``number`` names the ``bymod`` before it, if any."""
    if op.kind is Kind.FIXED:
        return f"not written; always {op.zero}"
    if op.kind in REGISTERS:
        return f"L0 to L{op.limit - 1}"
    if op.kind is Kind.MOD:
        zero = _numbers(op.zero) + (f" with `{number}` 0" if number else "")
        sign = "signed" if op.signed else "unsigned"
        return zero + (f"; {_numbers(op.range)} with any {sign} `{number}`" if op.range else "")
    least = -(op.limit >> 1) if op.kind in SIGNED else 0
    modified = ", by the modifier" if op.kind is Kind.BYMOD else ""
    return f"{least} to {op.limit - 1}{modified}"


def _numbers(mask: int) -> str:
    """Return the bits that are set, as ``0 to 3, 8``."""
    runs: list[list[int]] = []
    for bit in (n for n in range(mask.bit_length()) if mask >> n & 1):
        if runs and runs[-1][-1] == bit - 1:
            runs[-1].append(bit)
        else:
            runs.append([bit])
    return ", ".join(f"{run[0]} to {run[-1]}" if len(run) > 1 else str(run[0]) for run in runs)


def main() -> int:
    """Write the pages into the folder that the command line names."""
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        print("usage: python tools/reference_pages.py FOLDER", file=sys.stderr)
        return 2
    write(Path(sys.argv[1]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
