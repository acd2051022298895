"""Elements of vector registers as ASP words carry them; nibbles in the order the user states."""

from collections.abc import Mapping

import numpy as np

from tilelab.tilext.errors import MissingSpecification
from tilelab.tilext.func6 import Func6
from tilelab.tilext.memory import Bytes
from tilelab.tilext.state import TileCore

Values = Mapping[str, int]


def asp_code(core: TileCore, name: str, values: Values) -> Func6:
    """Return what the func6 of an instruction's ASP word says."""
    return core.profile.func6(name)[values["func6"]]


def mask_bits(core: TileCore, count: int) -> Bytes:
    """Return the first bits of v0."""
    return np.unpackbits(core.v[0], bitorder="little")[:count]


def vector_elements(core: TileCore, name: str, register: int, code: Func6) -> Bytes:
    """Return a vector register's elements as an ASP_store word carries them.

    A nibble is the low half of its byte: in the register it is zero-extended to 8 bits (line 296).
    """
    wide = max(code.bits, 8)
    elements: Bytes = core.v[register].view(f"<u{wide // 8}")
    if code.masked and not mask_bits(core, len(elements)).all():
        raise MissingSpecification("vector-mask-policy", f"{name}: v0 masks elements off")
    if code.bits < 8:
        nibble_order(core, name, code)
        elements = (elements & 15).astype(np.uint8)
    return elements


def nibble_order(core: TileCore, name: str, code: Func6) -> str:
    """Return which half of a byte is the first nibble; MissingSpecification if not stated."""
    if core.parameters.nibble_order is None:
        raise MissingSpecification("nibble", f"{name} with func6 {code.name}")
    return core.parameters.nibble_order


def unpack_nibbles(data: Bytes, order: str) -> Bytes:
    """Return two nibbles for each byte, first nibble first."""
    low, high = data & 15, data >> 4
    return np.stack([low, high] if order == "low" else [high, low], axis=-1).reshape(-1)


def pack_nibbles(nibbles: Bytes, order: str) -> Bytes:
    """Return bytes of two nibbles each: the inverse of :func:`unpack_nibbles`."""
    first, second = nibbles[0::2] & 15, nibbles[1::2] & 15
    low, high = (first, second) if order == "low" else (second, first)
    packed: Bytes = (high << 4 | low).astype(np.uint8)
    return packed
