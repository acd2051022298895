"""How a row of the Tensix instruction tables is written."""

from dataclasses import replace
from typing import Any, TypedDict, Unpack

from tilelab.isa.field import Field
from tilelab.isa.figure import UNTIMED, InstructionTiming
from tilelab.isa.instruction import Instruction, fields
from tilelab.isa.registers import parse_registers
from tilelab.isa.syntax import Kind, Operand, parse_operands
from tilelab.tensix.tables.units import DEFAULT_TIMINGS, Block, DstUse, SubUnit, Unit

SFPU = "imm12_math=23:12 lreg_c=11:8 lreg_dest=7:4 instr_mod1=3:0"
"""The parameters that most vector instructions' macros have, whether or not the hardware reads them."""


class Columns(TypedDict, total=False):
    """Columns that a row gives as :class:`Instruction` has them, if they are not the default."""

    aliases: tuple[str, ...]
    blocked_by_all: bool
    sub_unit: SubUnit
    vb_modifier: int
    flop: int
    each_thread: bool
    is_wait: bool
    refused: str


def _usual_names(name: str, is_vector: bool) -> tuple[str, str]:
    """Mnemonic and manual page: a vector instruction has Blackhole's, and no ``tt``."""
    if is_vector:
        return name.lower(), f"BlackholeA0/{name}.md"
    return f"tt{name}".lower(), f"WormholeB0/{name}.md"


def row(
    name: str,
    opcode: int,
    unit: Unit,
    bits: str = "",
    syntax: str | None = None,
    *,
    macro: str = "",
    mnemonic: str | None = None,
    block: Block | None = None,
    page: str | None = None,
    registers: str = "",
    stalls: str | None = None,
    always: int = 0,
    stall_modes: int = 0xFFFF,
    is_template: bool | None = None,
    dst: DstUse = DstUse.NONE,
    takes: InstructionTiming | None = None,
    **columns: Unpack[Columns],
) -> Instruction:
    """Make a row of the table.

    ``bits`` are the fields that the hardware reads, ``syntax`` the assembler's operands (default:
    the fields), often wider. ``macro`` names parameters of the LLK's ``TT_OP_`` macro that are not
    as the operands (vector instructions: the fields) already say. Unless given, block bits and time
    are the unit's, mnemonic and page those of :func:`_usual_names`, and a vector instruction that
    names a VD is a template if it is 12 and above.

    ``registers``, ``stalls``, ``always``, ``stall_modes``: see :func:`parse_registers`.
    """
    is_vector = unit is Unit.VECTOR
    if is_vector != ("sub_unit" in columns):
        raise ValueError(f"{name}: a vector instruction has a sub-unit, no other instruction has")
    named = parse_registers(registers, stalls, always, stall_modes)
    own = fields(bits)
    written = " ".join(field.name for field in own) if syntax is None else syntax
    operands = parse_operands(written, own)
    usual_mnemonic, usual_page = _usual_names(name, is_vector)
    return Instruction(
        name=name,
        opcode=opcode,
        unit=unit,
        fields=own,
        mnemonic=usual_mnemonic if mnemonic is None else mnemonic,
        operands=operands,
        macro=_parameters(own if is_vector else _fields_of(operands), fields(macro)),
        block_mask=unit.block if block is None else block,
        page=usual_page if page is None else page,
        registers=named,
        is_template=named.get("vd") is not None if is_template is None else is_template,
        dst_use=int(dst),
        timing=takes or DEFAULT_TIMINGS.get(unit, UNTIMED),
        **columns,
    )


def changed(
    base: Instruction,
    bits: str | None = None,
    syntax: str | None = None,
    *,
    macro: str = "",
    registers: str | None = None,
    **columns: Any,
) -> Instruction:
    """Make a row that differs from another in fields, operands or other columns, all else equal.

    ``bits``, ``syntax``, ``macro`` and ``registers`` are as :func:`row` takes them.
    """
    own = base.fields if bits is None else fields(bits)
    if bits is not None or syntax is not None:
        text = " ".join(field.name for field in own) if syntax is None else syntax
        columns["operands"] = operands = parse_operands(text, own)
        is_vector = base.unit == Unit.VECTOR
        columns["macro"] = _parameters(own if is_vector else _fields_of(operands), fields(macro))
    if registers is not None:
        columns["registers"] = parse_registers(registers)
    return replace(base, fields=own, **columns)


def _fields_of(operands: tuple[Operand, ...]) -> tuple[Field, ...]:
    return tuple(op.field for op in operands if op.kind is not Kind.FIXED)


def _parameters(default: tuple[Field, ...], different: tuple[Field, ...]) -> tuple[Field, ...]:
    """Return a macro's parameters, high bits first."""
    by_name = {field.name: field for field in (*default, *different)}
    return tuple(sorted(by_name.values(), key=lambda field: -field.lo))
