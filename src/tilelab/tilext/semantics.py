"""What instructions do, exactly as far as the document says; the rest raises with the question.

Loads and stores (seed lines 28, 65, 105) and TCSR (195-233). The other families: moves.py,
compute.py (MMA, TALU), transfers.py (atomics, Tensor Async Copy), sync.py; verbs.py has them all.
"""

from collections.abc import Mapping
from itertools import pairwise

import numpy as np

from tilelab.sim.errors import ProgramError
from tilelab.tilext.compute import tilesize
from tilelab.tilext.elements import asp_code, vector_elements
from tilelab.tilext.errors import MissingSpecification
from tilelab.tilext.forms import LOAD
from tilelab.tilext.memory import GRAIN, Access, Span
from tilelab.tilext.state import XLEN_MASK, TileCore

Values = Mapping[str, int]


def base_address(core: TileCore, name: str, values: Values) -> int:
    """Return rs1, plus rs3 if offseten is 1 (lines 28, 162), plus what the user's rule adds."""
    address = core.read_x(values["rs1"])
    with_register = bool(values.get("offseten"))
    if with_register:
        address += core.read_x(values["rs3"])
    if imm := values.get("imm", 0) | values.get("imm2", 0):
        rule, both = core.parameters.immediate_offset, core.parameters.immediate_with_register
        if "imm2" not in values and with_register and both is not None:
            address += both(imm)
        elif "imm2" not in values and not with_register and rule is not None:
            address += rule(imm, core.profile.instructions[name].operands["imm"].width)
        else:
            raise MissingSpecification("offset-immediate", f"{name} with immediate offset {imm}")
    return address & XLEN_MASK


def _grain_addresses(core: TileCore, name: str, values: Values, count: int) -> list[int]:
    """Where each 32 B grain is: consecutive, rs2 x 32 B apart, or at an index x 32 B."""
    base, mode = base_address(core, name, values), core.profile.forms[name].mode
    if mode == "unit":
        steps = list(range(count))
    elif mode == "stride":
        stride = core.read_x(values["rs2"])
        steps = [grain * stride for grain in range(count)]
    else:
        steps = _indices(core, name, values, count)
    return [(base + GRAIN * step) & XLEN_MASK for step in steps]


def _indices(core: TileCore, name: str, values: Values, count: int) -> list[int]:
    code = asp_code(core, name, values)
    elements = vector_elements(core, name, values["vs2"], code)
    if len(elements) < count:
        where = f"{name}: {count} grains, {len(elements)} indices in v{values['vs2']}"
        raise MissingSpecification("index-vector", where)
    used = [int(element) for element in elements[:count]]
    if code.bits < 64 and max(used) >> (code.bits - 1):
        raise MissingSpecification("index-vector", f"{name}: index {max(used):#x}, signed or not")
    return used


def selected(core: TileCore, name: str, values: Values, count: int) -> list[bool]:
    """Return which grains tmask lets through."""
    if not values.get("tmask"):
        return [True] * count
    if core.parameters.mask is None:
        raise MissingSpecification("mask-source", f"{name} with tmask")
    bits = [bool(bit) for bit in core.parameters.mask(core, count)]
    if len(bits) != count:
        raise ProgramError(f"{name}: the mask has {len(bits)} bits for {count} grains")
    return bits


def memory_access(core: TileCore, name: str, values: Values) -> None:
    """Load or store tilesize consecutive tile registers, 32 B grain by 32 B grain."""
    form = core.profile.forms[name]
    loads, space = form.verb == LOAD, form.space
    register, registers = values["td" if loads else "ts1"], tilesize(core, name, values)
    tiles = core.tile_range(register, registers, name)
    count = registers * core.parameters.tile_bytes // GRAIN
    chosen = np.array(selected(core, name, values, count))
    every = _grain_addresses(core, name, values, count)
    addresses = [address for address, on in zip(every, chosen, strict=True) if on]
    where = core.stretches(Span(space, tuple(addresses), not loads), name)
    ordered = sorted(addresses)
    if not loads and any(b - a < GRAIN for a, b in pairwise(ordered)):
        raise MissingSpecification("store-overlap", f"{name}: two grains of the store overlap")
    used = frozenset(range(tiles.start, tiles.stop))
    none: frozenset[int] = frozenset()
    span = Span(space, tuple(addresses), not loads)
    access = Access(none if loads else used, used if loads else none, (span,))
    core.use(name, access)
    core.issue(name, access, form.counter)
    rows, memory = core.tiles[tiles].reshape(count, GRAIN), core.memory[space]
    if loads:
        rows[chosen] = memory[where]
    else:
        memory[where] = rows[chosen]


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
