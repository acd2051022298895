"""Writes the dispatches of Tensix words of the fast engine, as kernel Python, from the tables.

``dispatch`` decodes a Tensix word and calls its unit's prologue and its kernel, ``scheduled`` calls
that of an instruction that SFPLOADMACRO scheduled. The reference engine's twins are
``execute.execute`` and ``semantics.scheduled``; ``generate_cores`` has the cores' instructions.
"""

from collections.abc import Callable, Iterator
from functools import cache
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
from tilelab.tensix.run.speed.source_text import Source
from tilelab.tensix.tables.units import Unit


def room(row: Instruction, handler: Callable[..., int] | None) -> str:
    """The room of the backend that has an instruction's kernel, which names its dispatch."""
    return handler.__module__.split(".")[3] if handler is not None else "others"


def dispatch_source(arch: Arch) -> Source:
    """The text of ``dispatch(s, t, word)`` for a chip, and of ``dispatch_ROOM`` for each room."""
    source = Source()
    source.names |= {
        "UNKNOWN_OPCODE": UNKNOWN_OPCODE,
        "FRONTEND_WORD": FRONTEND_WORD,
        "NO_KERNEL": NO_KERNEL,
        "UNDEFINED_BITS": UNDEFINED_BITS,
    }
    rooms: dict[str, list[tuple[Instruction, Callable[..., int] | None]]] = {}
    for row in arch.instructions.values():
        handler = SEMANTICS[arch.name].get(row.name)
        rooms.setdefault(room(row, handler), []).append((row, handler))
    for name, rows in rooms.items():
        source.add("@kernel", f"def dispatch_{name}(s, t, word):", "    opcode = word >> 24")
        for position, (row, handler) in enumerate(rows):
            source.add(
                f"    {'elif' if position else 'if'} opcode == {row.opcode:#04x}:  # {row.name}"
            )
            source.add(*(f"        {line}" for line in issue(source, row, handler)))
        source.add("    return fault(s, UNKNOWN_OPCODE, word)", "", "")
    source.add("@kernel", "def dispatch(s, t, word):", "    opcode = word >> 24")
    for position, row in enumerate(arch.instructions.values()):
        name = room(row, SEMANTICS[arch.name].get(row.name))
        source.add(f"    {'elif' if position else 'if'} opcode == {row.opcode:#04x}:  # {row.name}")
        source.add(f"        return dispatch_{name}(s, t, word)")
    source.add("    return fault(s, UNKNOWN_OPCODE, word)")
    return source


def issue(source: Source, row: Instruction, handler: Callable[..., int] | None) -> Iterator[str]:
    """What is done with a word of a row: statements that return."""
    if handler is None:
        why = "FRONTEND_WORD" if row.unit == Unit.FRONTEND else "NO_KERNEL"
        yield f"return fault(s, {why}, word)"
        return
    if row.unused_bits:
        yield f"if word & {row.unused_bits:#08x}:"
        yield "    return fault(s, UNDEFINED_BITS, word)"
    if begin := prologue(row):
        source.names |= {"GO": GO}
        yield f"code = {source.name('kernel', begin)}(s, t, word)"
        yield "if code != GO:"
        yield "    return code"
    values = (_value(row, name) for name in parameters(handler))
    yield f"return {source.name('kernel', handler)}({', '.join(['s', 't', *values])})"


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


@cache
def dispatches(arch: Arch) -> dict[str, FunctionType]:
    """``dispatch(s, t, word)`` for a chip, and by room that of its instructions."""
    made = dispatch_source(arch).compile(f"<tilelab dispatch {arch.name}>")
    return {name: made[name] for name in made if name.startswith("dispatch")}


def dispatch(arch: Arch) -> FunctionType:
    """``dispatch(s, t, word)`` for a chip."""
    return dispatches(arch)["dispatch"]


def scheduled(arch: Arch) -> FunctionType:
    """``scheduled(s, word, vb, vc, vd)`` for a chip."""
    made = scheduled_source(arch).compile(f"<tilelab scheduled {arch.name}>")["scheduled"]
    assert isinstance(made, FunctionType)
    return made
