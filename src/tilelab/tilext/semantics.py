"""What instructions do, exactly as far as the document says; the rest raises with the question.

Memory (seed lines 28, 65, 105), Tile Move (283-376), TCSR (195-233), MMA and TALU through the
user's operation tables (247, 382, 400). Synchronisation is in :mod:`tilelab.tilext.sync`.

Not modelled (MissingSpecification): atomics, Tensor Async Copy, MMA with vector descriptors, TALU
under tmask, nibbles, addrCtl.
"""

from collections.abc import Callable, Mapping
from itertools import pairwise

import numpy as np

from tilelab.tilext import func6
from tilelab.tilext.errors import MissingSpecification, ProgramError
from tilelab.tilext.func6 import Func6
from tilelab.tilext.operations import MmaInputs, TaluInputs
from tilelab.tilext.state import GRAIN, XLEN_MASK, Access, Bytes, TileCore

Values = Mapping[str, int]


def _plain(name: str, values: Values) -> None:
    if values.get("addrCtl"):
        raise MissingSpecification("addrctl", f"{name} with addrCtl 1")


def tilesize(core: TileCore, name: str, values: Values) -> int:
    """Return how many tile registers a tilesize code stands for."""
    codes = core.profile.codes(name, "tilesize")
    if codes is None:
        raise MissingSpecification(
            "tilesize-code", f"{name} with tilesize code {values['tilesize']}"
        )
    return int(codes.by_code[values["tilesize"]])


def _base(core: TileCore, name: str, values: Values) -> int:
    """base = rs1, plus rs3 if offseten is 1 (line 28)."""
    address = core.read_x(values["rs1"])
    if values["offseten"]:
        address += core.read_x(values["rs3"])
    if imm := values.get("imm", 0) | values.get("imm2", 0):
        rule = core.parameters.immediate_offset
        if rule is None or values["offseten"] or "imm2" in values:
            raise MissingSpecification("offset-immediate", f"{name} with immediate offset {imm}")
        address += rule(imm, 10 if name.endswith(".unit") else 5)
    return address & XLEN_MASK


def vector_elements(core: TileCore, name: str, register: int, code: Func6) -> Bytes:
    """Return a vector register's elements as an ASP_store word carries them."""
    if code.bits < 8:
        raise MissingSpecification("nibble", f"{name} with func6 {code.name}")
    elements: Bytes = core.v[register].view(f"<u{code.bits // 8}")
    if code.masked and not _mask_bits(core, len(elements)).all():
        raise MissingSpecification("vector-mask-policy", f"{name}: v0 masks elements off")
    return elements


def _mask_bits(core: TileCore, count: int) -> Bytes:
    return np.unpackbits(core.v[0], bitorder="little")[:count]


def _func6(core: TileCore, name: str, values: Values) -> Func6:
    return func6.legal(name, printed=core.profile.name == "printed")[values["func6"]]


def _grain_addresses(core: TileCore, name: str, values: Values, count: int) -> list[int]:
    """Where each 32 B grain is: consecutive, rs2 x 32 B apart, or at an index x 32 B."""
    base = _base(core, name, values)
    if name.endswith(".unit"):
        steps = list(range(count))
    elif name.endswith(".stride"):
        stride = core.read_x(values["rs2"])
        steps = [grain * stride for grain in range(count)]
    else:
        steps = _indices(core, name, values, count)
    return [(base + GRAIN * step) & XLEN_MASK for step in steps]


def _indices(core: TileCore, name: str, values: Values, count: int) -> list[int]:
    code = _func6(core, name, values)
    elements = vector_elements(core, name, values["vs2"], code)
    if len(elements) < count:
        where = f"{name}: {count} grains, {len(elements)} indices in v{values['vs2']}"
        raise MissingSpecification("index-vector", where)
    used = [int(element) for element in elements[:count]]
    if code.bits < 64 and max(used) >> (code.bits - 1):
        raise MissingSpecification("index-vector", f"{name}: index {max(used):#x}, signed or not")
    return used


def _selected(core: TileCore, name: str, values: Values, count: int) -> list[bool]:
    """Return which grains tmask lets through."""
    if not values["tmask"]:
        return [True] * count
    if core.parameters.mask is None:
        raise MissingSpecification("mask-source", f"{name} with tmask")
    bits = [bool(bit) for bit in core.parameters.mask(core, count)]
    if len(bits) != count:
        raise ProgramError(f"{name}: the mask has {len(bits)} bits for {count} grains")
    return bits


def memory_access(core: TileCore, name: str, values: Values) -> None:
    """Load or store tilesize consecutive tile registers, 32 B grain by 32 B grain."""
    _plain(name, values)
    loads, space = name[2:4] == "ld", "global" if name[1] == "g" else "share"
    register, registers = values["td" if loads else "ts1"], tilesize(core, name, values)
    tiles = core.tile_range(register, registers, name)
    count = registers * core.parameters.tile_bytes // GRAIN
    chosen = np.array(_selected(core, name, values, count))
    every = _grain_addresses(core, name, values, count)
    addresses = [address for address, on in zip(every, chosen, strict=True) if on]
    where = core.grains(space, addresses, name)
    ordered = sorted(addresses)
    if not loads and any(b - a < GRAIN for a, b in pairwise(ordered)):
        raise MissingSpecification("store-overlap", f"{name}: two grains of the store overlap")
    used = frozenset(range(tiles.start, tiles.stop))
    none: frozenset[int] = frozenset()
    access = Access(
        none if loads else used, used if loads else none, space, tuple(addresses), not loads
    )
    core.use(name, access, name[:4])
    rows, memory = core.tiles[tiles].reshape(count, GRAIN), core.memory[space]
    if loads:
        rows[chosen] = memory[where]
    else:
        memory[where] = rows[chosen]


def _move_start(core: TileCore, name: str, values: Values, size: int) -> int:
    """Return the byte of the tile register that an index names; index 0 is its start."""
    index = core.read_x(values["rs2"]) if values.get("rs2_en") else values.get("imm", 0)
    if not index:
        return 0
    if values["bc"]:
        raise MissingSpecification("broadcast", f"{name} with bc and index {index}")
    if core.parameters.move_offset is None:
        raise MissingSpecification("move-index", f"{name} with index {index}")
    start = core.parameters.move_offset(index, size)
    if not 0 <= start <= core.parameters.tile_bytes - size:
        raise ProgramError(f"{name}: index {index} is outside the tile register")
    return start


def _move_code(core: TileCore, name: str, values: Values) -> Func6:
    _plain(name, values)
    code = _func6(core, name, values)
    if code.bits < 8:
        raise MissingSpecification("nibble", f"{name} with func6 {code.name}")
    if values["bc"] and code.direction == func6.LOAD:
        raise MissingSpecification("broadcast", f"{name} with bc")
    return code


def move_vector_to_tile(core: TileCore, name: str, values: Values) -> None:
    """td = vs1's elements, or with bc the vector repeated over the whole register (line 333)."""
    code, size = _move_code(core, name, values), core.v.shape[1]
    core.use(name, Access(writes=frozenset({values["td"]})))
    tile = core.tiles[core.tile_range(values["td"], 1, name)].reshape(-1)
    copies = len(tile) // size if values["bc"] else 1
    if size > len(tile) or (values["bc"] and len(tile) % size):
        raise MissingSpecification("vector-move-size", f"{name}: {size} B into {len(tile)} B")
    active = np.ones(size * 8 // code.bits, np.uint8)
    if code.masked:
        active = _mask_bits(core, len(active))
    on = np.tile(np.repeat(active, code.bits // 8).astype(bool), copies)
    tile[: size * copies][on] = np.tile(core.v[values["vs1"]], copies)[on]


def move_tile_to_vector(core: TileCore, name: str, values: Values) -> None:
    """Vd = the first VLEN bits of ts1."""
    code, size = _move_code(core, name, values), core.v.shape[1]
    core.use(name, Access(reads=frozenset({values["ts1"]})))
    tile = core.tiles[core.tile_range(values["ts1"], 1, name)].reshape(-1)
    if size > len(tile):
        raise MissingSpecification("vector-move-size", f"{name}: {size} B from {len(tile)} B")
    if code.masked and not _mask_bits(core, size * 8 // code.bits).all():
        raise MissingSpecification("vector-mask-policy", f"{name}: v0 masks elements off")
    core.v[values["vd"]] = tile[:size]


def move_scalar_to_tile(core: TileCore, name: str, values: Values) -> None:
    """An element of td, or with bc every one, = the low bits of rs1 or frs1."""
    code = _move_code(core, name, values)
    core.use(name, Access(writes=frozenset({values["td"]})))
    tile = core.tiles[core.tile_range(values["td"], 1, name)].reshape(-1)
    size = code.bits // 8
    source = core.read_x(values["rs1"]) if "rs1" in values else core.f[values["frs1"]]
    low = source & ((1 << code.bits) - 1)
    data = np.frombuffer(low.to_bytes(size, "little"), np.uint8)
    start = _move_start(core, name, values, size)
    if values["bc"]:
        tile[:] = np.tile(data, len(tile) // size)
    else:
        tile[start : start + size] = data


def move_tile_to_scalar(core: TileCore, name: str, values: Values) -> None:
    """Rd = an element of ts1, extended as func6 says; frd = one, NaN-boxed."""
    code = _move_code(core, name, values)
    core.use(name, Access(reads=frozenset({values["ts1"]})))
    tile = core.tiles[core.tile_range(values["ts1"], 1, name)].reshape(-1)
    size = code.bits // 8
    start = _move_start(core, name, values, size)
    value = int.from_bytes(tile[start : start + size].tobytes(), "little", signed=code.signed)
    if "rd" in values:
        core.write_x(values["rd"], value)
    else:
        core.f[values["frd"]] = value | XLEN_MASK >> code.bits << code.bits


def tcsr_read(core: TileCore, name: str, values: Values) -> None:
    """Rd = the CSR's old value (line 228)."""
    core.write_x(values["rd"], _csr(core, name, values))


def tcsr_write(core: TileCore, name: str, values: Values) -> None:
    """The CSR = rs1; its old value goes to rd unless that is x0 (lines 201, 235)."""
    old, new = _csr(core, name, values), core.read_x(values["rs1"])
    core.write_x(values.get("rd", 0), old)
    core.csr[values["csr_idx"]] = new


def _csr(core: TileCore, name: str, values: Values) -> int:
    index = values["csr_idx"]
    if index not in core.csr:
        raise MissingSpecification("csr-list", f"{name}: CSR {index} is not registered")
    return core.csr[index]


def mma(core: TileCore, name: str, values: Values) -> None:
    """Run the registered operation on A, B and the output registers (line 247)."""
    if name != "mma.tt":
        raise MissingSpecification("mma-asp", f"{name}: a matrix given by a descriptor")
    operation = core.operations.find_mma(values["mmauop"])
    size, multi = tilesize(core, name, values), bool(values["multitile"])
    counts = (1, 1)
    if size > 1:
        if operation.registers is None:
            raise MissingSpecification("mma-shape", f"{name} with tilesize {size}")
        counts = operation.registers(size, multi)
    a = core.tile_range(values["ts1"], size if multi else 1, name)
    b = core.tile_range(values["ts2"], counts[0], name)
    d = core.tile_range(values["td"], counts[1], name)
    read = {*range(a.start, a.stop), *range(b.start, b.stop), *range(d.start, d.stop)}
    written = frozenset(range(d.start, d.stop))
    access = Access(frozenset(read), written)
    core.use(name, access)
    flags = ("neg1", "negd", "transmata", "transmatb", "reuse1", "reuse2", "reused")
    given = {flag: bool(values[flag]) for flag in flags}
    tiles = core.tiles
    inputs = MmaInputs(tiles[a].copy(), tiles[b].copy(), tiles[d].copy(), **given)
    tiles[d] = _result(name, operation.compute(inputs), tiles[d].shape)
    core.use(name, access, "mma")


def _result(name: str, result: np.ndarray, shape: tuple[int, ...]) -> Bytes:
    """Return a registered operation's result as bytes of the output registers."""
    data = np.ascontiguousarray(result).view(np.uint8).reshape(-1)
    if data.size != np.prod(shape):
        raise ProgramError(f"{name}: the operation returns {data.size} B, not {np.prod(shape)}")
    return data.reshape(shape)


def talu(core: TileCore, name: str, values: Values) -> None:
    """td = the registered operation on the sources (lines 382, 400)."""
    _plain(name, values)
    operation = core.operations.find_talu(name, values["vecuop1"], values["vecuop2"])
    if values["tmask"]:
        raise MissingSpecification("talu-mask", f"{name} with tmask")
    names = [operand for operand in ("ts1", "ts2", "ts3") if operand in values]
    read = [values[operand] for operand in names]
    sources: list[Bytes | int] = [
        core.tiles[core.tile_range(register, 1, name)].reshape(-1).copy() for register in read
    ]
    if "vs2" in values:
        sources.insert(
            1, vector_elements(core, name, values["vs2"], _func6(core, name, values)).copy()
        )
    if "frs2" in values:
        sources.insert(1, core.f[values["frs2"]] & ((1 << _func6(core, name, values).bits) - 1))
    access = Access(frozenset(read), frozenset({values["td"]}))
    core.use(name, access)
    flags = frozenset(o for o in ("neg1", "neg2", "reuse1", "reuse2") if values.get(o))
    tile = core.tile_range(values["td"], 1, name)
    result = operation(TaluInputs(tuple(sources), flags))
    core.tiles[tile] = _result(name, result, core.tiles[tile].shape)
    core.use(name, access, "alu")


def _unstated(key: str) -> Callable[[TileCore, str, Values], None]:
    def raises(core: TileCore, name: str, values: Values) -> None:
        raise MissingSpecification(key, name)

    return raises


Semantics = Callable[[TileCore, str, Values], None]
SEMANTICS: dict[str, Semantics] = {
    **{
        f"t{space}{way}.{mode}": memory_access
        for space in "gs"
        for way in ("ld", "st")
        for mode in ("unit", "stride", "index")
    },
    **dict.fromkeys(
        ("tsatom.rd", "tsatom.nord", "tgatom.tile", "tsatom.tile"), _unstated("atomic-codes")
    ),
    "tma.copy": _unstated("tma-codes"),
    "tcsr": tcsr_read,
    "tcsrw": tcsr_write,
    **dict.fromkeys(("mma.tt", "mma.tv", "mma.vt", "mma.vv"), mma),
    "tmv.t.v": move_vector_to_tile,
    "tmv.v.t": move_tile_to_vector,
    "tmv.t.x": move_scalar_to_tile,
    "tmv.x.t": move_tile_to_scalar,
    "tmv.t.f": move_scalar_to_tile,
    "tmv.f.t": move_tile_to_scalar,
    **dict.fromkeys(("talu.1op", "talu.2op.v", "talu.3op", "talu.3op.f"), talu),
}
