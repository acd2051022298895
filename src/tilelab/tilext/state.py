"""The state of one Tile Core thread, and the parameters that the document leaves to the chip.

Not modelled: the scalar core (its registers are set by the caller), traps, vl and vstart.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tilelab.tilext.errors import BadInput, MissingSpecification, ProgramError
from tilelab.tilext.operations import Operations
from tilelab.tilext.profile import Profile, load_profile

GRAIN = 32  # bytes; what tmask, stride and index vector count in
Bytes = NDArray[np.uint8]
XLEN_MASK = (1 << 64) - 1


@dataclass(frozen=True)
class Parameters:
    """What a chip is, where the document does not say.

    Sizes are stated. The rest answers open questions; None leaves one open, and a program that
    depends on it raises MissingSpecification:

    - ``mask(core, grains)`` gives the tmask bits of that many 32 B grains (mask-source);
    - ``immediate_offset(imm, bits)`` gives the bytes an immediate offset adds (offset-immediate);
    - ``move_offset(index, element_bytes)`` gives the byte that a Tile Move's index names;
    - ``global_space`` is the value of t_wait's global/share that means global;
    - ``interlock`` True lets operations use registers and memory that are outstanding;
    - ``completes_in_order`` True lets t_wait wait for a count above 0.
    """

    tile_bytes: int
    tile_count: int
    vlen: int
    global_bytes: int = 1 << 20
    share_bytes: int = 1 << 18
    mask: "Callable[[TileCore, int], Sequence[bool]] | None" = None
    immediate_offset: Callable[[int, int], int] | None = None
    move_offset: Callable[[int, int], int] | None = None
    global_space: int | None = None
    interlock: bool | None = None
    completes_in_order: bool | None = None

    def __post_init__(self) -> None:
        if self.tile_bytes <= 0 or self.tile_bytes % GRAIN:
            raise BadInput(f"tile_bytes={self.tile_bytes} is not a multiple of {GRAIN}")
        if not 0 < self.tile_count <= 256:
            raise BadInput(f"tile_count={self.tile_count} is not in 1..256")
        if self.vlen < 64 or self.vlen & (self.vlen - 1):
            raise BadInput(f"vlen={self.vlen} is not a power of two from 64 bits")


@dataclass(frozen=True)
class Access:
    """What an operation uses: tile registers read and written, and 32 B grains of a memory."""

    reads: frozenset[int] = frozenset()
    writes: frozenset[int] = frozenset()
    space: str = ""
    addresses: tuple[int, ...] = ()
    stores: bool = False

    def conflict(self, other: "Access") -> str:
        """Return what two operations both use and one of them changes, or ""."""
        shared = self.writes & (other.reads | other.writes) | self.reads & other.writes
        if shared:
            return f"tr{min(shared)}"
        if self.space and self.space == other.space and (self.stores or other.stores):
            mine, theirs = sorted(self.addresses), np.array(sorted(other.addresses))
            for address in mine:
                near = int(np.searchsorted(theirs, address - GRAIN, side="right"))
                if near < len(theirs) and theirs[near] < address + GRAIN:
                    return f"{self.space} memory at {address:#x}"
        return ""


@dataclass(frozen=True)
class Outstanding:
    """An operation that has been issued and not yet waited for."""

    counter: str
    name: str
    access: Access


@dataclass
class TileCore:
    """One thread's registers and memories; ``x``, ``f`` and ``v`` belong to the scalar core.

    ``tiles`` is (tile_count, tile_bytes) and ``v`` (32, vlen / 8) bytes; ``f`` holds raw 64-bit
    patterns. Operations take effect when executed; what is ``outstanding`` may not be used until
    a t_wait has waited for it.
    """

    parameters: Parameters
    profile: Profile = field(default_factory=load_profile)
    thread: int = 0
    operations: Operations = field(default_factory=Operations)
    csr: dict[int, int] = field(default_factory=dict)
    outstanding: list[Outstanding] = field(default_factory=list)
    x: list[int] = field(default_factory=lambda: [0] * 32)
    f: list[int] = field(default_factory=lambda: [0] * 32)

    def __post_init__(self) -> None:
        p = self.parameters
        self.tiles: Bytes = np.zeros((p.tile_count, p.tile_bytes), np.uint8)
        self.v: Bytes = np.zeros((32, p.vlen // 8), np.uint8)
        self.memory: dict[str, Bytes] = {
            "global": np.zeros(p.global_bytes, np.uint8),
            "share": np.zeros(p.share_bytes, np.uint8),
        }

    def read_x(self, number: int) -> int:
        """Return an integer register as an unsigned 64-bit value."""
        return self.x[number] & XLEN_MASK if number else 0

    def write_x(self, number: int, value: int) -> None:
        """Write an integer register; x0 stays 0."""
        if number:
            self.x[number] = value & XLEN_MASK

    def counters(self) -> Counter[str]:
        """Return how many operations are outstanding: tgld, tgst, tsld, tsst, mma, alu."""
        return Counter(operation.counter for operation in self.outstanding)

    def tile_range(self, first: int, count: int, name: str) -> slice:
        """Return consecutive tile registers; past the last one is not specified."""
        if first + count > self.parameters.tile_count:
            where = f"{name}: tr{first} to tr{first + count - 1} of {self.parameters.tile_count}"
            raise MissingSpecification("tile-registers", where)
        return slice(first, first + count)

    def grains(self, space: str, addresses: Sequence[int], name: str) -> NDArray[np.int64]:
        """Return the byte indices of 32 B grains, (grains, 32); ProgramError outside memory."""
        size = len(self.memory[space])
        for address in addresses:
            if address + GRAIN > size:
                raise ProgramError(
                    f"{name}: {space} memory has {size:#x} bytes, the access is at {address:#x}"
                )
        return np.array(addresses, np.int64).reshape(-1, 1) + np.arange(GRAIN)

    def use(self, name: str, access: Access, counter: str = "") -> None:
        """Check an operation against what is outstanding; with a counter it becomes so itself."""
        if not self.parameters.interlock:
            for other in self.outstanding:
                if what := access.conflict(other.access):
                    raise MissingSpecification(
                        "interlock", f"{name} uses {what}, which {other.name} has outstanding"
                    )
        if counter:
            self.outstanding.append(Outstanding(counter, name, access))

    def retire(self, counter: str, limit: int) -> None:
        """Complete operations of a counter, oldest first, until at most ``limit`` are left."""
        excess = self.counters()[counter] - limit
        if limit and excess > 0 and not self.parameters.completes_in_order:
            raise MissingSpecification("completion-order", f"t_wait for {counter} <= {limit}")
        kept = []
        for operation in self.outstanding:
            if operation.counter == counter and excess > 0:
                excess -= 1
            else:
                kept.append(operation)
        self.outstanding = kept
