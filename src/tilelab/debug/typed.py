"""Values of C and C++ as text, by their types in the debugging data."""

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

from tilelab.elf.dwarf import name_of

DEEPEST: Final = 16
LARGEST: Final = 1 << 20
"""Bytes of a variable that is shown."""
ELEMENTS: Final = 16
"""Of an array that its line shows."""
ALIASES: Final = (
    "DW_TAG_typedef", "DW_TAG_const_type", "DW_TAG_volatile_type", "DW_TAG_restrict_type",
    "DW_TAG_atomic_type",
)  # fmt: skip
POINTERS: Final = (
    "DW_TAG_pointer_type", "DW_TAG_reference_type", "DW_TAG_rvalue_reference_type",
)  # fmt: skip
RECORDS: Final = ("DW_TAG_structure_type", "DW_TAG_class_type", "DW_TAG_union_type")
BOOLEAN, FLOAT, SIGNED, SIGNED_CHAR = 2, 4, 5, 6
"""Encodings of base types; the others are unsigned."""


@dataclass(frozen=True)
class Value:
    """Bytes and what they are: the type's entry in the debugging data, None if unknown."""

    name: str
    kind: Any
    data: bytes

    def __str__(self) -> str:
        return _text(self.kind, self.data)

    def parts(self) -> list["Value"]:
        """What it consists of: an array's elements, a record's fields."""
        kind = plain(self.kind)
        if kind is None:
            return []
        if kind.tag == "DW_TAG_array_type":
            element = entry_of(kind)
            size = size_of(element) or 1
            pieces = (self.data[i : i + size] for i in range(0, len(self.data), size))
            return [
                Value(f"[{i}]", element, piece)
                for i, piece in enumerate(pieces)
                if len(piece) == size
            ]
        return [Value(*field) for field in _fields(kind, self.data)]


def entry_of(entry: Any) -> Any:
    """The entry of the type that another entry names; None if it names none."""
    return entry.get_DIE_from_attribute("DW_AT_type") if "DW_AT_type" in entry.attributes else None


def plain(kind: Any) -> Any:
    """A type without its other names, const and volatile; None for void."""
    for _ in range(DEEPEST):
        if kind is None or kind.tag not in ALIASES:
            return kind
        kind = entry_of(kind)
    return None


def size_of(kind: Any) -> int:
    """Bytes of a type; 0 if it does not say."""
    kind = plain(kind)
    if kind is None:
        return 0
    if "DW_AT_byte_size" in kind.attributes:
        return int(kind.attributes["DW_AT_byte_size"].value)
    if kind.tag in POINTERS:
        return 4
    if kind.tag == "DW_TAG_array_type":
        size = size_of(entry_of(kind))
        for count in _counts(kind):
            size *= count
        return size if size <= LARGEST else 0
    return 0


def _counts(kind: Any) -> list[int]:
    """An array's number of elements in each dimension."""
    counts = []
    for child in kind.iter_children():
        if child.tag == "DW_TAG_subrange_type":
            for name, more in (("DW_AT_count", 0), ("DW_AT_upper_bound", 1)):
                value = child.attributes[name].value if name in child.attributes else None
                if isinstance(value, int):
                    counts.append(value + more)
                    break
            else:
                counts.append(0)
    return counts


def _fields(kind: Any, data: bytes) -> Iterator[tuple[str, Any, bytes]]:
    """A record's fields: name, type, bytes. Bit fields are left out."""
    if kind.tag not in RECORDS:
        return
    for child in kind.iter_children():
        if child.tag not in ("DW_TAG_member", "DW_TAG_inheritance"):
            continue
        attributes = child.attributes
        offset = attributes.get("DW_AT_data_member_location")
        if "DW_AT_external" in attributes or "DW_AT_bit_size" in attributes:
            continue
        at = offset.value if offset is not None else 0
        field = entry_of(child)
        if isinstance(at, int) and field is not None:
            yield name_of(child) or "<base>", field, data[at : at + size_of(field)]


def _text(kind: Any, data: bytes, depth: int = 0) -> str:
    kind = plain(kind)
    if kind is None or depth > DEEPEST:
        return data.hex(" ")
    number = int.from_bytes(data, "little")
    if kind.tag == "DW_TAG_base_type":
        return _base(kind, data)
    if kind.tag in POINTERS:
        return f"{number:#x}"
    if kind.tag == "DW_TAG_enumeration_type":
        return _enumerator(kind, number)
    found = Value("", kind, data).parts()
    if kind.tag == "DW_TAG_array_type":
        shown = [_text(part.kind, part.data, depth + 1) for part in found[:ELEMENTS]]
        return "{" + ", ".join(shown + ["..."] * (len(found) > ELEMENTS)) + "}"
    if kind.tag in RECORDS:
        named = (f"{part.name} = {_text(part.kind, part.data, depth + 1)}" for part in found)
        return "{" + ", ".join(named) + "}"
    return data.hex(" ")


def _base(kind: Any, data: bytes) -> str:
    encoding = int(kind.attributes["DW_AT_encoding"].value)
    if encoding == FLOAT and len(data) in (4, 8):
        (number,) = struct.unpack("<f" if len(data) == 4 else "<d", data)
        return f"{number:.9g}" if len(data) == 4 else repr(number)
    signed = encoding in (SIGNED, SIGNED_CHAR)
    whole = int.from_bytes(data, "little", signed=signed)
    if encoding == BOOLEAN and whole in (0, 1):
        return "true" if whole else "false"
    return number_text(whole)


def number_text(number: int) -> str:
    """A number, in hexadecimal too where that says more."""
    return f"{number} ({number:#x})" if number > 9 else str(number)


def _enumerator(kind: Any, number: int) -> str:
    for child in kind.iter_children():
        if child.tag == "DW_TAG_enumerator":
            value = child.attributes["DW_AT_const_value"].value
            if value == number:
                return f"{name_of(child)} ({number})"
    return str(number)
