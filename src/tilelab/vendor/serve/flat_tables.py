"""FlatBuffers tables of plain numbers, byte vectors and strings, read with every length checked.

A frame comes from another process and may be damaged: whatever its offsets say, reading one
costs no more than its length and ends in values or in :class:`DamagedFrameError`. Missing fields
are zero or empty, as the format has it.

Source: the FlatBuffers internals page (tables, vtables, vectors). Not modelled: nested tables,
unions, default values other than zero; the one protocol here has none.
"""

import struct
from collections.abc import Mapping
from enum import Enum
from typing import NamedTuple

Value = int | bytes | str


class DamagedFrameError(Exception):
    """A frame that is no table of the kind that was asked for."""


class Kind(Enum):
    """What a field holds: its ``struct`` format within the table."""

    INT8 = "<b"
    BOOL = "<B"
    INT32 = "<i"
    UINT32 = "<I"
    UINT64 = "<Q"
    BYTES = "<I "
    TEXT = "<I  "

    @property
    def number(self) -> struct.Struct:
        """How it is packed; of a vector, the offset that leads to it."""
        return struct.Struct(self.value.strip())

    @property
    def elsewhere(self) -> bool:
        """Whether the table holds an offset only."""
        return self in (Kind.BYTES, Kind.TEXT)


class Field(NamedTuple):
    """A field; its place in the table's list is its number."""

    name: str
    kind: Kind


Table = tuple[Field, ...]

_U16, _I32, _U32 = struct.Struct("<H"), struct.Struct("<i"), struct.Struct("<I")


def encode(table: Table, values: Mapping[str, Value]) -> bytes:
    """Make a table's bytes; fields without a value are left out."""
    present = [field for field in table if field.name in values]
    vtable = 4
    start = vtable + 4 + 2 * len(table)
    start += (4 - start) % 8  # so that what follows the table's own offset is aligned to 8
    places: dict[str, int] = {}
    end = start + 4
    for field in sorted(present, key=lambda field: -field.kind.number.size):
        places[field.name] = end
        end += field.kind.number.size
    head = bytearray(end)
    _U32.pack_into(head, 0, start)
    _U16.pack_into(head, vtable, 4 + 2 * len(table))
    _U16.pack_into(head, vtable + 2, end - start)
    for number, field in enumerate(table):
        offset = places[field.name] - start if field.name in places else 0
        _U16.pack_into(head, vtable + 4 + 2 * number, offset)
    _I32.pack_into(head, start, start - vtable)
    rest = bytearray()
    for field in present:
        value, place = values[field.name], places[field.name]
        if field.kind.elsewhere:
            rest += bytes(-(end + len(rest)) % 4)
            field.kind.number.pack_into(head, place, end + len(rest) - place)
            rest += _vector(value)
        else:
            field.kind.number.pack_into(head, place, value)
    return bytes(head + rest)


def _vector(value: Value) -> bytes:
    """A vector of bytes, or a string, which ends with a zero that is not counted."""
    assert not isinstance(value, int)
    data = value.encode() if isinstance(value, str) else value
    return _U32.pack(len(data)) + data + (b"\0" if isinstance(value, str) else b"")


def decode(table: Table, data: bytes) -> dict[str, Value]:
    """Read a table's fields, all of them; DamagedFrameError if there is no such table."""
    start = _number(_U32, data, 0)
    vtable = start - _number(_I32, data, start)
    length = _number(_U16, data, vtable)
    found: dict[str, Value] = {}
    for number, field in enumerate(table):
        entry = 4 + 2 * number
        offset = _number(_U16, data, vtable + entry) if entry + 2 <= length else 0
        if not field.kind.elsewhere:
            found[field.name] = _number(field.kind.number, data, start + offset) if offset else 0
            continue
        raw = _bytes(data, start + offset) if offset else b""
        found[field.name] = _text(raw) if field.kind is Kind.TEXT else raw
    return found


def _number(kind: struct.Struct, data: bytes, place: int) -> int:
    if not 0 <= place <= len(data) - kind.size:
        raise DamagedFrameError(f"an offset leads to byte {place} of {len(data)}")
    value: int = kind.unpack_from(data, place)[0]
    return value


def _bytes(data: bytes, place: int) -> bytes:
    at = place + _number(_U32, data, place)
    count = _number(_U32, data, at)
    if count > len(data) - at - 4:
        raise DamagedFrameError(f"a vector of {count} bytes at {at} of {len(data)}")
    return data[at + 4 : at + 4 + count]


def _text(raw: bytes) -> str:
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        raise DamagedFrameError("a string is no UTF-8") from error
