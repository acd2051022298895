"""Writes the dispatches of Tensix words of the fast engine, as kernel Python, from the tables.

``dispatch`` decodes a Tensix word and calls its unit's prologue and its kernel, ``scheduled`` calls
that of an instruction that SFPLOADMACRO scheduled. The reference engine's twins are
``execute.execute`` and ``semantics.scheduled``; ``generate_cores`` has the cores' instructions.
"""

from types import FunctionType

from tilelab.isa.field import Field
from tilelab.isa.instruction import Instruction
from tilelab.tensix.arch import Arch
from tilelab.tensix.backend import SEMANTICS
from tilelab.tensix.backend.semantics import (
    GO,
    OVERRIDDEN,
    operands,
    parameters,
    prologue,
    schedulable,
)
from tilelab.tensix.frontend.wait_gate import UNKNOWN_OPCODE
from tilelab.tensix.run.execute import FRONTEND_WORD, NO_KERNEL, UNDEFINED_BITS
from tilelab.tensix.run.source_text import Source
from tilelab.tensix.tables.units import Unit


def dispatch_source(arch: Arch) -> Source:
    """The text of ``dispatch(s, t, word)`` for a chip."""
    source = Source()
    source.names |= {
        "UNKNOWN_OPCODE": UNKNOWN_OPCODE,
        "FRONTEND_WORD": FRONTEND_WORD,
        "NO_KERNEL": NO_KERNEL,
        "UNDEFINED_BITS": UNDEFINED_BITS,
    }
    source.add("@kernel", "def dispatch(s, t, word):", "    opcode = word >> 24")
    for position, row in enumerate(arch.instructions.values()):
        handler = SEMANTICS[arch.name].get(row.name)
        keyword = "elif" if position else "if"
        source.add(f"    {keyword} opcode == {row.opcode:#04x}:  # {row.name}")
        if handler is None:
            why = "FRONTEND_WORD" if row.unit == Unit.FRONTEND else "NO_KERNEL"
            source.add(f"        return fault(s, {why}, word)")
            continue
        if row.unused_bits:
            source.add(
                f"        if word & {row.unused_bits:#08x}:",
                "            return fault(s, UNDEFINED_BITS, word)",
            )
        if begin := prologue(row):
            source.names |= {"GO": GO}
            source.add(
                f"        code = {source.name('kernel', begin)}(s, t, word)",
                "        if code != GO:",
                "            return code",
            )
        values = (_value(row, name) for name in parameters(handler))
        name = source.name("kernel", handler)
        source.add(f"        return {name}({', '.join(['s', 't', *values])})")
    source.add("    return fault(s, UNKNOWN_OPCODE, word)")
    return source


def _value(row: Instruction, name: str) -> str:
    """The expression of an operand of a word; ``semantics.operand`` is its twin."""
    if name == "word":
        return name
    places = operands(row)
    if name == "vb" and row.vb_modifier:
        return f"{_bits(places['vb'])} if word & {row.vb_modifier} else {_bits(places['vd'])}"
    return _bits(places[name])


def _bits(field: Field) -> str:
    return f"(word >> {field.lo}) & {field.max:#x}"


def scheduled_source(arch: Arch) -> Source:
    """The text of ``scheduled(s, word, vb, vc, vd)`` for a chip, see ``semantics.scheduled``."""
    source = Source()
    source.add("@kernel", "def scheduled(s, word, vb, vc, vd):", "    opcode = word >> 24")
    for position, (row, handler) in enumerate(schedulable(arch)):
        values = (n if n in OVERRIDDEN else _value(row, n) for n in parameters(handler))
        name = source.name("kernel", handler)
        source.add(
            f"    {'elif' if position else 'if'} opcode == {row.opcode:#04x}:  # {row.name}",
            f"        return {name}({', '.join(['s', '0', *values])})",
        )
    source.add("    return OK")
    return source


def dispatch(arch: Arch) -> FunctionType:
    """``dispatch(s, t, word)`` for a chip."""
    made = dispatch_source(arch).compile(f"<tilelab dispatch {arch.name}>")["dispatch"]
    assert isinstance(made, FunctionType)
    return made


def scheduled(arch: Arch) -> FunctionType:
    """``scheduled(s, word, vb, vc, vd)`` for a chip."""
    made = scheduled_source(arch).compile(f"<tilelab scheduled {arch.name}>")["scheduled"]
    assert isinstance(made, FunctionType)
    return made
