"""Atomics and Tensor Async Copy through the user's tables (seed lines 148-190)."""

from collections.abc import Mapping

import numpy as np

from tilelab.sim.errors import ProgramError
from tilelab.tilext.elements import asp_code, vector_elements
from tilelab.tilext.errors import MissingSpecification
from tilelab.tilext.memory import GRAIN, Access, Bytes, Span
from tilelab.tilext.operations import AtomicInputs, CopyInputs
from tilelab.tilext.semantics import base_address, selected
from tilelab.tilext.state import TileCore

Values = Mapping[str, int]


def atomic(core: TileCore, name: str, values: Values) -> None:
    """Memory at rs1 (+ rs3) becomes what the registered operation makes of it and its operand.

    Scalar forms take rs2 and return to rd if rd_en is 1, tile forms take a tile register and
    return to it; tmask selects 32 B grains. The operation completes at once: no t_wait counts it.
    """
    form, operation = core.profile.forms[name], core.operations.find_atomic(values["memuop"])
    if form.mode == "nord" and values.get("imm"):
        raise MissingSpecification("offset-immediate", f"{name}: what its immediate does")
    address = base_address(core, name, values)
    compare = core.read_x(values["rs3"]) if values.get("cas_en") else None
    register = next((values[o] for o in ("td", "ts2") if o in values), None)
    size = operation.size(values)
    span = Span(form.space, (address,), True, size)
    place = core.stretches(span, name)[0]
    tiles: frozenset[int] = frozenset()
    operand: int | Bytes = core.read_x(values["rs2"]) if "rs2" in values else 0
    if register is not None:
        operand = core.tiles[core.tile_range(register, 1, name)].reshape(-1).copy()
        tiles = frozenset({register})
    keep = ~_grains(core, name, values, size)
    core.use(name, Access(tiles, tiles, (span,)))
    old = core.memory[form.space][place].copy()
    new, returned = operation.compute(AtomicInputs(address, old.copy(), operand, compare, values))
    data = np.array(new, order="C", ndmin=1).view(np.uint8).reshape(-1)  # a copy: theirs stays
    if data.size != size:
        raise ProgramError(f"{name}: the operation returns {data.size} B of memory, not {size}")
    _return(core, name, values, register, returned)
    data[keep] = old[keep]
    core.memory[form.space][place] = data


def _grains(core: TileCore, name: str, values: Values, size: int) -> Bytes:
    """Return for each byte whether tmask selects its grain."""
    count = -(-size // GRAIN)
    return np.repeat(np.array(selected(core, name, values, count)), GRAIN)[:size]


def _return(
    core: TileCore, name: str, values: Values, register: int | None, returned: int | Bytes | None
) -> None:
    """Put what an atomic returns into rd or the tile register."""
    if returned is None:
        return
    if isinstance(returned, (int, np.integer)):
        if "rd" not in values:
            raise ProgramError(f"{name}: the operation returns a number, but there is no rd")
        if values.get("rd_en", 1):
            core.write_x(values["rd"], int(returned))
        return
    data = np.ascontiguousarray(returned).view(np.uint8).reshape(-1)
    if register is None or data.size != core.parameters.tile_bytes:
        raise ProgramError(f"{name}: the operation returns {data.size} B for no tile register")
    core.tiles[register] = data


def copy(core: TileCore, name: str, values: Values) -> None:
    """Move what the registered operation says; the copy stays outstanding until it is waited for.

    A t_wait on its group covers it, or a wait on the mbarrier that its end signals.
    """
    if core.operations.copy is None:
        raise MissingSpecification("tma-codes", name)
    vector = vector_elements(core, name, values["vs1"], asp_code(core, name, values))
    dst, src = core.read_x(values["dst"]), core.read_x(values["src"])
    found = core.operations.copy(core, CopyInputs(dst, src, vector.copy(), values))
    spans, data = [], []
    for move in found.moves:
        source = Span(move.source[0], (move.source[1],), False, move.size)
        target = Span(move.target[0], (move.target[1],), True, move.size)
        data.append((core.stretches(source, name)[0], core.stretches(target, name)[0]))
        spans += [source, target]
    access = Access(spans=tuple(spans))
    core.use(name, access)
    held = [
        core.memory[m.source[0]][place[0]].copy()
        for m, place in zip(found.moves, data, strict=True)
    ]
    for move, (_, target_place), content in zip(found.moves, data, held, strict=True):
        core.memory[move.target[0]][target_place] = content
    core.issue(name, access, core.profile.forms[name].counter, found.group, found.barrier)
