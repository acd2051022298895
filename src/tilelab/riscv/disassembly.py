"""Words to instructions: what an engine executes, and what a person reads."""

from collections.abc import Iterable

from tilelab.riscv.fields import sign_extend
from tilelab.riscv.table import RV32, Instruction

REGISTERS = (
    *("zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1"),
    *(f"a{i}" for i in range(8)),
    *(f"s{i}" for i in range(2, 12)),
    *("t3", "t4", "t5", "t6"),
)
"""The registers' names in the calling convention, by number."""
CSR_NAMES = {
    0x300: "mstatus",
    0x301: "misa",
    0x7C0: "cfg0",
    0xB00: "mcycle",
    0xB02: "minstret",
    0xB80: "mcycleh",
    0xB82: "minstreth",
    0xBC0: "tt_cfg_qstatus",
    0xBC1: "tt_cfg_bstatus",
    0xF14: "mhartid",
}


def find(word: int, extensions: Iterable[str]) -> Instruction | None:
    """The row of a word on a core with these extensions, or None."""
    row = RV32.find(word)
    return row if row is not None and row.extension in extensions else None


def _write(name: str, value: int, pc: int | None) -> str:
    if name in ("rd", "rs1", "rs2"):
        return REGISTERS[value]
    if name == "target":
        return f".{value:+d}" if pc is None else f"{(pc + value) & 0xFFFFFFFF:#x}"
    if name == "upper":
        return f"{value >> 12:#x}"
    if name == "csr":
        return CSR_NAMES.get(value, f"{value:#x}")
    if name == "word":
        return f"{value:#010x}"
    return str(sign_extend(value, 32))


def disassemble(word: int, pc: int | None = None) -> str:
    """Write a word as assembly, such as ``lw a0, 4(sp)``; jumps show their target if pc is known.

    A word that is no instruction becomes ``.word``.
    """
    row = RV32.find(word)
    if row is None:
        return f".word {word:#010x}"
    values = zip(row.format.value.operands, row.operands(word), strict=True)
    written = {name: _write(name, value, pc) for name, value in values}
    return f"{row.name} {row.format.value.syntax.format(**written)}".rstrip()
