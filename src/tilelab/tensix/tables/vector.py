"""What the vector unit looks up by opcode, from the rows' columns."""

from collections.abc import Callable
from dataclasses import dataclass

from tilelab.isa.instruction import Instruction, InstructionSet
from tilelab.tensix.tables.units import NO_SUB_UNIT, SubUnit, Unit

OF_NO_RESULT = (SubUnit.LOAD, SubUnit.STORE)
"""Sub-units whose instructions' results ENABLE_DEST_INDEX does not corrupt."""


@dataclass(frozen=True)
class VectorTables:
    """A chip's vector instructions as kernels look them up, each table by opcode."""

    first: int
    """The first opcode of a vector instruction; all up to ``last`` are."""
    last: int
    sub_unit: tuple[int, ...]
    """Which sub-unit executes it; NO_SUB_UNIT for what is no vector instruction."""
    is_template: tuple[int, ...]
    """1: with VD of 12 and above it is recorded instead of executed."""
    has_result: tuple[int, ...]
    """1: its sub-unit writes one result, to VD."""
    vd: tuple[int, ...]
    """Lowest bit of the field that names VD; 0 if none does."""
    vb: tuple[int, ...]
    """Lowest bit of what names VB; VD's if nothing does."""
    vc: tuple[int, ...]
    """Lowest bit of what names VC; VD's if nothing does."""
    vb_modifier: tuple[int, ...]
    """The modifier bit without which VB is VD, if not 0."""


def vector_tables(instructions: InstructionSet) -> VectorTables:
    """The tables of a chip; ValueError if vector instructions do not have adjacent opcodes."""
    rows = {row.opcode: row for row in instructions.values() if row.unit == Unit.VECTOR}
    first, last = min(rows, default=1), max(rows, default=0)
    if others := [
        r.name
        for code, r in instructions.by_opcode.items()
        if first <= code <= last and code not in rows
    ]:
        raise ValueError(f"{instructions.chip}: {', '.join(others)} between vector instructions")

    def table(value: Callable[[Instruction], int], otherwise: int = 0) -> tuple[int, ...]:
        return tuple(value(rows[code]) if code in rows else otherwise for code in range(256))

    return VectorTables(
        first=first,
        last=last,
        sub_unit=table(_sub_unit, NO_SUB_UNIT),
        is_template=table(lambda row: int(row.is_template)),
        has_result=table(_has_result),
        vd=table(lambda row: _low_bit(row, "vd")),
        vb=table(lambda row: _low_bit(row, "vb")),
        vc=table(lambda row: _low_bit(row, "vc")),
        vb_modifier=table(lambda row: row.vb_modifier),
    )


def _sub_unit(row: Instruction) -> int:
    assert row.sub_unit is not None
    return int(row.sub_unit)


def _has_result(row: Instruction) -> int:
    return int(row.registers.writes == ("vd",) and row.sub_unit not in OF_NO_RESULT)


def _low_bit(row: Instruction, register: str) -> int:
    """Where a register's number begins in the word; that of VD if the word does not name it."""
    field = row.registers.get(register) or row.registers.get("vd")
    return field.lo if field else 0
