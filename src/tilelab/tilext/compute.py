"""MMA and TALU through the user's operation tables (seed lines 247, 382, 400)."""

from collections.abc import Mapping

import numpy as np

from tilelab.sim.errors import ProgramError
from tilelab.tilext.elements import asp_code, vector_elements
from tilelab.tilext.errors import MissingSpecification
from tilelab.tilext.memory import Access, Bytes, Span
from tilelab.tilext.operations import MmaInputs, TaluInputs
from tilelab.tilext.registers import Kind
from tilelab.tilext.state import TileCore

Values = Mapping[str, int]
_MMA_FLAGS = ("neg1", "negd", "transmata", "transmatb", "reuse1", "reuse2", "reused")
_MMA_KNOWN = {
    *("td", "ts1", "ts2", "vs1", "vs2", "mmauop", "tilesize", "multitile", "func6", "addrCtl"),
    *_MMA_FLAGS,
}
_TALU_KNOWN = {
    *("td", "ts1", "ts2", "ts3", "vs2", "frs2", "vecuop1", "vecuop2", "tmask", "addrCtl", "func6"),
}


def tilesize(core: TileCore, name: str, values: Values) -> int:
    """Return how many tile registers a tilesize code stands for."""
    codes = core.profile.codes(name, "tilesize")
    if codes is None:
        raise MissingSpecification(
            "tilesize-code", f"{name} with tilesize code {values['tilesize']}"
        )
    return int(codes.by_code[values["tilesize"]])


def mma(core: TileCore, name: str, values: Values) -> None:
    """Run the registered operation on A, B and the output registers (line 247)."""
    described = [operand for operand in ("vs1", "vs2") if operand in values]
    if described and core.operations.describe is None:
        raise MissingSpecification("mma-asp", f"{name}: a matrix given by a descriptor")
    operation = core.operations.find_mma(values["mmauop"])
    size, multi = tilesize(core, name, values), bool(values["multitile"])
    counts = (1, 1)
    if size > 1:
        if operation.registers is None:
            raise MissingSpecification("mma-shape", f"{name} with tilesize {size}")
        counts = operation.registers(size, multi)
    reads: set[int] = set()
    spans: list[Span] = []
    a = _matrix(core, name, values, "1", size if multi else 1, reads, spans)
    b = _matrix(core, name, values, "2", counts[0], reads, spans)
    d = core.tile_range(values["td"], counts[1], name)
    written = frozenset(range(d.start, d.stop))
    access = Access(frozenset(reads) | written, written, tuple(spans))
    core.use(name, access)
    fields = {operand: value for operand, value in values.items() if operand not in _MMA_KNOWN}
    given = {flag: bool(values[flag]) for flag in _MMA_FLAGS}
    tiles = core.tiles
    inputs = MmaInputs(a.copy(), b.copy(), tiles[d].copy(), fields=fields, **given)
    tiles[d] = _result(name, operation.compute(inputs), tiles[d].shape)
    core.issue(name, access, core.profile.forms[name].counter)


def _matrix(
    core: TileCore,
    name: str,
    values: Values,
    which: str,
    count: int,
    reads: set[int],
    spans: list[Span],
) -> Bytes:
    """Return matrix A ("1") or B ("2"): of tile registers, or what a vector's descriptor names."""
    if f"ts{which}" in values:
        place = core.tile_range(values[f"ts{which}"], count, name)
        reads.update(range(place.start, place.stop))
        tiles: Bytes = core.tiles[place]
        return tiles
    describe = core.operations.describe
    assert describe is not None
    register = values[f"vs{which}"]
    vector = core.v[register]
    if "func6" in values:
        vector = vector_elements(core, name, register, asp_code(core, name, values))
    found = describe(core, vector.copy(), values)
    for span in found.spans:
        core.stretches(span, name)
    spans += found.spans
    return np.ascontiguousarray(found.data).view(np.uint8)


def _result(name: str, result: np.ndarray, shape: tuple[int, ...]) -> Bytes:
    """Return a registered operation's result as bytes of the output registers."""
    data = np.ascontiguousarray(result).view(np.uint8).reshape(-1)
    if data.size != np.prod(shape):
        raise ProgramError(f"{name}: the operation returns {data.size} B, not {np.prod(shape)}")
    return data.reshape(shape)


def talu(core: TileCore, name: str, values: Values) -> None:
    """td = the registered operation on the sources (lines 382, 400), where tmask selects it."""
    operation = core.operations.find_talu(name, values["vecuop1"], values["vecuop2"])
    chosen = _chosen(core, name, values)
    names = [operand for operand in ("ts1", "ts2", "ts3") if operand in values]
    read = [values[operand] for operand in names]
    sources: list[Bytes | int] = [
        core.tiles[core.tile_range(register, 1, name)].reshape(-1).copy() for register in read
    ]
    if "vs2" in values:
        code = asp_code(core, name, values)
        sources.insert(1, vector_elements(core, name, values["vs2"], code).copy())
    if "frs2" in values:
        bits = asp_code(core, name, values).bits
        sources.insert(1, core.f[values["frs2"]] & ((1 << bits) - 1))
    tile = core.tile_range(values["td"], 1, name)
    access = Access(frozenset(read), frozenset({values["td"]}))
    core.use(name, access)
    rest = {o: v for o, v in values.items() if o not in _TALU_KNOWN}
    bits_set = {o for o in rest if core.profile.kind(name, o) is Kind.FLAG}
    flags = frozenset(o for o in bits_set if rest[o])
    fields = {o: v for o, v in rest.items() if o not in bits_set}
    result = operation(TaluInputs(tuple(sources), flags, fields))
    data = _result(name, result, core.tiles[tile].shape)
    core.tiles[tile] = np.where(chosen, data, core.tiles[tile])
    core.issue(name, access, core.profile.forms[name].counter)


def _chosen(core: TileCore, name: str, values: Values) -> Bytes:
    """Return for each byte of td whether tmask lets the operation write it."""
    size = core.parameters.tile_bytes
    if not values.get("tmask"):
        return np.ones((1, size), np.bool_)
    if core.parameters.talu_mask is None:
        raise MissingSpecification("talu-mask", f"{name} with tmask")
    bits = np.array([bool(bit) for bit in core.parameters.talu_mask(core)])
    if not len(bits) or size % len(bits):
        raise ProgramError(f"{name}: {len(bits)} mask bits do not divide a register of {size} B")
    return np.repeat(bits, size // len(bits)).reshape(1, size)
