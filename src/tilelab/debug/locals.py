"""A call's arguments and local variables, and a program's global ones, from its debugging data."""

import io
from collections.abc import Iterator
from functools import lru_cache, partial
from typing import Any, Final, NamedTuple

from elftools.dwarf.dwarf_expr import DWARFExprParser
from elftools.dwarf.locationlists import (
    BaseAddressEntry,
    LocationEntry,
    LocationExpr,
    LocationParser,
)
from elftools.elf.elffile import ELFFile

from tilelab.debug.debugger import Debugger
from tilelab.debug.expressions import Frame, UnavailableError, address_of, value_of
from tilelab.debug.memory import read_bytes
from tilelab.debug.typed import LARGEST, Value, entry_of, size_of
from tilelab.debug.unwind import Call
from tilelab.elf.dwarf import debugging_data, name_of, ranges_of

VARIABLES: Final = ("DW_TAG_formal_parameter", "DW_TAG_variable")
SCOPES: Final = ("DW_TAG_subprogram", "DW_TAG_inlined_subroutine", "DW_TAG_lexical_block")
GONE: Final = "<optimized out>"
"""What gdb says of a variable that has no value here."""


class Local(NamedTuple):
    """A variable: its value, or None if it has none here, and the function it belongs to."""

    name: str
    value: Value | None
    function: str

    @property
    def text(self) -> str:
        """Its value as a line shows it."""
        return GONE if self.value is None else str(self.value)


class _Reader:
    """Debugging data of one program."""

    def __init__(self, image: bytes) -> None:
        self.dwarf = debugging_data(ELFFile(io.BytesIO(image)))
        self.locations = LocationParser(self.dwarf.location_lists())

    def scopes(self, pc: int) -> list[Any]:
        """The functions, inlined calls and blocks around an address, the innermost first."""
        for unit in self.dwarf.iter_CUs():
            top = unit.get_top_DIE()
            for entry in _within(top, self._has(unit, pc)):
                if entry.tag == "DW_TAG_subprogram":
                    return self._around(unit, entry, pc)
        return []

    def _has(self, unit: Any, pc: int) -> Any:
        def has(entry: Any) -> bool:
            return any(start <= pc < end for start, end in ranges_of(self.dwarf, unit, entry))

        return has

    def _around(self, unit: Any, function: Any, pc: int) -> list[Any]:
        found, has, at = [function], self._has(unit, pc), function
        while True:
            inner = next(
                (c for c in at.iter_children() if c.tag in SCOPES and has(c)),
                None,
            )
            if inner is None:
                return found[::-1]
            found.append(inner)
            at = inner

    def expression(self, entry: Any, name: str, pc: int) -> list[Any] | None:
        """The operations of an attribute that says where something is; None if nowhere."""
        attribute = entry.attributes.get(name)
        if attribute is None:
            return None
        version = entry.cu.header["version"]
        if not LocationParser.attribute_has_location(attribute, version):
            return None
        found = self.locations.parse_from_attribute(attribute, version, entry)
        if isinstance(found, LocationExpr):
            return self._parsed(entry, found.loc_expr)
        base = entry.cu.get_top_DIE().attributes.get("DW_AT_low_pc")
        start = base.value if base is not None else 0
        for piece in found:
            if isinstance(piece, BaseAddressEntry):
                start = piece.base_address
            elif isinstance(piece, LocationEntry):
                offset = 0 if piece.is_absolute else start
                if piece.begin_offset + offset <= pc < piece.end_offset + offset:
                    return self._parsed(entry, piece.loc_expr)
        return None

    def _parsed(self, entry: Any, expression: Any) -> list[Any]:
        return list(DWARFExprParser(entry.cu.structs).parse_expr(expression))


def _within(top: Any, has: Any) -> Iterator[Any]:
    """Functions with an address, wherever they stand (namespaces, classes)."""
    for child in top.iter_children():
        if child.tag == "DW_TAG_subprogram":
            if has(child):
                yield child
        elif child.tag in ("DW_TAG_namespace", "DW_TAG_class_type", "DW_TAG_structure_type"):
            yield from _within(child, has)


@lru_cache(maxsize=16)
def _reader(image: bytes) -> _Reader | None:
    if not image:
        return None
    try:
        return _Reader(image)
    except Exception:  # whatever the parser makes of damaged tables
        return None


def _reader_of(made: Debugger, core: int) -> _Reader | None:
    """The debugging data of a core's program; None if there are none."""
    program = made.tile.programs.get(core)
    return _reader(program.image) if program else None


def _frame(made: Debugger, core: int, reader: _Reader, call: Call, function: Any) -> Frame:
    """What expressions of a call's function are worked out in."""

    def base() -> int:
        operations = reader.expression(function, "DW_AT_frame_base", call.pc)
        if operations is None:
            raise UnavailableError
        return address_of(operations, frame)

    frame = Frame(call.registers, call.frame, base, partial(read_bytes, made, core))
    return frame


def _value(reader: _Reader, entry: Any, frame: Frame, pc: int) -> Value | None:
    """A variable's value; None if it has none here."""
    named = entry
    for origin in ("DW_AT_abstract_origin", "DW_AT_specification"):
        if origin in entry.attributes and "DW_AT_type" not in entry.attributes:
            named = entry.get_DIE_from_attribute(origin)
    kind = entry_of(named)
    size = size_of(kind)
    if not 0 < size <= LARGEST:
        return None
    constant = entry.attributes.get("DW_AT_const_value")
    if constant is None and named is not entry:
        constant = named.attributes.get("DW_AT_const_value")
    if constant is not None:
        given = constant.value
        data = (
            (given % (1 << 8 * size)).to_bytes(size, "little")
            if isinstance(given, int)
            else (bytes(given) if isinstance(given, bytes | list) else b"")
        )
        return Value(name_of(entry), kind, data[:size]) if len(data) >= size else None
    try:
        operations = reader.expression(entry, "DW_AT_location", pc)
        if operations is None:
            return None
        return Value(name_of(entry), kind, value_of(operations, frame, size))
    except UnavailableError:
        return None


def locals_of(made: Debugger, core: int, call: Call) -> list[Local]:
    """A call's variables, those of what is inlined there and of inner blocks first.

    Empty if the program does not say. ``call`` is one of :func:`tilelab.debug.unwind.unwind`.
    """
    reader = _reader_of(made, core)
    if reader is None:
        return []
    try:
        return list(_locals(made, core, reader, call))
    except Exception:  # whatever the parser makes of damaged tables
        return []


def _locals(made: Debugger, core: int, reader: _Reader, call: Call) -> Iterator[Local]:
    scopes = reader.scopes(call.lookup)
    if not scopes:
        return
    frame = _frame(made, core, reader, call, scopes[-1])
    for i, scope in enumerate(scopes):
        function = next(s for s in scopes[i:] if s.tag != "DW_TAG_lexical_block")
        for entry in scope.iter_children():
            if entry.tag in VARIABLES and name_of(entry):
                value = _value(reader, entry, frame, call.lookup)
                yield Local(name_of(entry), value, name_of(function))


def global_of(made: Debugger, core: int, name: str) -> Local | None:
    """A program's global variable, by its name without namespaces; None if there is none."""
    reader = _reader_of(made, core)
    if reader is None:
        return None
    try:
        call = Call(0, 0, {}, 0)
        for unit in reader.dwarf.iter_CUs():
            for entry in unit.iter_DIEs():
                if entry.tag != "DW_TAG_variable" or name_of(entry) != name:
                    continue
                if "DW_AT_location" in entry.attributes:
                    frame = _frame(made, core, reader, call, unit.get_top_DIE())
                    return Local(name, _value(reader, entry, frame, 0), "")
    except Exception:  # whatever the parser makes of damaged tables
        return None
    return None
