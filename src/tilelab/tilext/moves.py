"""Tile Move between tile registers and vector, integer and float registers (seed lines 283-376)."""

from collections.abc import Mapping

import numpy as np

from tilelab.sim.errors import ProgramError
from tilelab.tilext.elements import (
    asp_code,
    mask_bits,
    nibble_order,
    pack_nibbles,
    unpack_nibbles,
)
from tilelab.tilext.errors import MissingSpecification
from tilelab.tilext.forms import LOAD
from tilelab.tilext.func6 import Func6
from tilelab.tilext.memory import Access, Bytes
from tilelab.tilext.state import XLEN_MASK, TileCore

Values = Mapping[str, int]


def _start(core: TileCore, name: str, values: Values, code: Func6, room: int) -> int:
    """Return the unit of the tile register that an index names; index 0 is its start.

    ``room`` is how many units the register has beyond those that are moved.
    """
    index = core.read_x(values["rs2"]) if values.get("rs2_en") else values.get("imm", 0)
    if not index:
        return 0
    if values["bc"]:
        raise MissingSpecification("broadcast", f"{name} with bc and index {index}")
    if core.parameters.move_offset is None:
        raise MissingSpecification("move-index", f"{name} with index {index}")
    start = core.parameters.move_offset(index, code.bits // 8)
    if not 0 <= start <= room:
        raise ProgramError(f"{name}: index {index} is outside the tile register")
    return start


def _code(core: TileCore, name: str, values: Values) -> Func6:
    code = asp_code(core, name, values)
    if values["bc"] and code.direction == LOAD:
        raise MissingSpecification("broadcast", f"{name} with bc")
    return code


def _units_of(code: Func6) -> int:
    """Return how many units of a tile register an element is: bytes, or one nibble."""
    return code.bits // 8 or 1


def _read(core: TileCore, name: str, register: int, code: Func6) -> Bytes:
    """Return a tile register in units: its bytes, or its nibbles, first nibble first."""
    tile: Bytes = core.tiles[core.tile_range(register, 1, name)].reshape(-1)
    if code.bits < 8:
        return unpack_nibbles(tile, nibble_order(core, name, code))
    return tile.copy()


def _write(core: TileCore, name: str, register: int, code: Func6, units: Bytes) -> None:
    """Put the units that :func:`_read` gave, changed, back into the register."""
    if code.bits < 8:
        units = pack_nibbles(units, nibble_order(core, name, code))
    core.tiles[register] = units


def move_vector_to_tile(core: TileCore, name: str, values: Values) -> None:
    """td = vs1's elements, or with bc the vector repeated over the whole register (line 333).

    A nibble element is the low half of its byte in vs1 and a nibble of td.
    """
    code, vector = _code(core, name, values), core.v[values["vs1"]]
    core.use(name, Access(writes=frozenset({values["td"]})))
    units, size = _read(core, name, values["td"], code), len(vector)
    copies = len(units) // size if values["bc"] else 1
    if size > len(units) or (values["bc"] and len(units) % size):
        raise MissingSpecification("vector-move-size", f"{name}: {size} units into {len(units)}")
    start = _start(core, name, values, code, len(units) - size)
    count = size // _units_of(code)
    active = mask_bits(core, count) if code.masked else np.ones(count, np.uint8)
    on = np.tile(np.repeat(active, _units_of(code)).astype(bool), copies)
    units[start : start + size * copies][on] = np.tile(vector, copies)[on]
    _write(core, name, values["td"], code, units)


def move_tile_to_vector(core: TileCore, name: str, values: Values) -> None:
    """Vd = the first elements of ts1; nibbles are zero-extended to bytes (line 295)."""
    code = _code(core, name, values)
    core.use(name, Access(reads=frozenset({values["ts1"]})))
    units, size = _read(core, name, values["ts1"], code), core.v.shape[1]
    if size > len(units):
        raise MissingSpecification("vector-move-size", f"{name}: {size} units from {len(units)}")
    start = _start(core, name, values, code, len(units) - size)
    active = np.ones(size, np.uint8)
    if code.masked:
        active = np.repeat(mask_bits(core, size // _units_of(code)), _units_of(code))
        if not active.all() and not core.parameters.masked_loads_keep:
            raise MissingSpecification("vector-mask-policy", f"{name}: v0 masks elements off")
    chosen = active.astype(bool)
    core.v[values["vd"]][chosen] = units[start : start + size][chosen]


def move_scalar_to_tile(core: TileCore, name: str, values: Values) -> None:
    """An element of td, or with bc every one, = the low bits of rs1 or frs1."""
    code = _code(core, name, values)
    core.use(name, Access(writes=frozenset({values["td"]})))
    units = _read(core, name, values["td"], code)
    source = core.read_x(values["rs1"]) if "rs1" in values else core.f[values["frs1"]]
    low = source & ((1 << code.bits) - 1)
    data = np.frombuffer(low.to_bytes(_units_of(code), "little"), np.uint8)
    start = _start(core, name, values, code, len(units) - _units_of(code))
    if values["bc"]:
        units[:] = np.tile(data, len(units) // len(data))
    else:
        units[start : start + len(data)] = data
    _write(core, name, values["td"], code, units)


def move_tile_to_scalar(core: TileCore, name: str, values: Values) -> None:
    """Rd = an element of ts1, extended as func6 says; frd = one, NaN-boxed."""
    code = _code(core, name, values)
    core.use(name, Access(reads=frozenset({values["ts1"]})))
    units = _read(core, name, values["ts1"], code)
    start = _start(core, name, values, code, len(units) - _units_of(code))
    value = int.from_bytes(units[start : start + _units_of(code)].tobytes(), "little")
    if code.signed and value >> (code.bits - 1):
        value -= 1 << code.bits
    if "rd" in values:
        core.write_x(values["rd"], value)
    else:
        core.f[values["frd"]] = value | XLEN_MASK >> code.bits << code.bits
