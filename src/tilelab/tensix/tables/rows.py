"""How a row of the Tensix instruction tables is written."""

from tilelab.isa.field import Field
from tilelab.isa.instruction import Instruction, fields
from tilelab.isa.syntax import Kind, Operand, parse_operands
from tilelab.tensix.tables.units import Block, Unit

SFPU = "imm12_math=23:12 lreg_c=11:8 lreg_dest=7:4 instr_mod1=3:0"
"""The parameters that most vector instructions' macros have, whether or not the hardware reads them."""


def row(
    name: str,
    opcode: int,
    unit: Unit,
    bits: str = "",
    syntax: str | None = None,
    *,
    macro: str = "",
    mnemonic: str | None = None,
    aliases: tuple[str, ...] = (),
    block: Block | None = None,
    blocked_by_all: bool = False,
    page: str | None = None,
) -> Instruction:
    """Make a row of the table.

    ``bits`` are the fields that the hardware reads, ``syntax`` the assembler's operands (default:
    the fields), often wider. ``macro`` names parameters of the LLK's ``TT_OP_`` macro that are not
    as the operands (vector instructions: the fields) already say. The mnemonic is the name after
    ``tt`` (vector instructions: the name), the page that of the name in the Wormhole manual
    (vector instructions: the Blackhole manual), the block bits the unit's, unless given.
    """
    is_vector = unit is Unit.VECTOR
    own = fields(bits)
    operands = parse_operands(
        " ".join(field.name for field in own) if syntax is None else syntax, own
    )
    manual = "BlackholeA0" if is_vector else "WormholeB0"
    return Instruction(
        name=name,
        opcode=opcode,
        unit=unit,
        fields=own,
        mnemonic=(name if is_vector else f"tt{name}").lower() if mnemonic is None else mnemonic,
        operands=operands,
        aliases=aliases,
        macro=_parameters(own if is_vector else _fields_of(operands), fields(macro)),
        block_mask=unit.block if block is None else block,
        blocked_by_all=blocked_by_all,
        page=f"{manual}/{name}.md" if page is None else page,
    )


def _fields_of(operands: tuple[Operand, ...]) -> tuple[Field, ...]:
    return tuple(op.field for op in operands if op.kind is not Kind.FIXED)


def _parameters(default: tuple[Field, ...], different: tuple[Field, ...]) -> tuple[Field, ...]:
    """Return a macro's parameters, high bits first."""
    by_name = {field.name: field for field in (*default, *different)}
    return tuple(sorted(by_name.values(), key=lambda field: -field.lo))
