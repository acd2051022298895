"""The state of one Tile Core thread, and the parameters that the document leaves to the chip.

Not modelled: the scalar core (its registers are set by the caller), traps, vl and vstart.
"""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tilelab.sim.errors import BadInputError, ProgramError
from tilelab.tilext.errors import MissingSpecification
from tilelab.tilext.memory import GRAIN, Access, Bytes, Outstanding, Span
from tilelab.tilext.operations import Operations
from tilelab.tilext.profile import Profile, load_profile
from tilelab.tilext.races import Races

XLEN_MASK = (1 << 64) - 1


@dataclass(frozen=True)
class Parameters:
    """What a chip is, where the document does not say.

    Sizes are stated. The rest answers open questions; None leaves one open, and a program that
    depends on it raises MissingSpecification:

    - ``mask(core, grains)`` gives the tmask bits of that many 32 B grains (mask-source);
    - ``talu_mask(core)`` gives TALU's tmask bits; each selects an equal part of td (talu-mask);
    - ``immediate_offset(imm, bits)`` gives the bytes an immediate offset adds (offset-immediate);
    - ``immediate_with_register(imm)`` gives those that imm[9:5] adds when offseten is 1 as well;
    - ``move_offset(index, element_bytes)`` gives the byte that a Tile Move's index names; for
      nibbles it is asked for 0 bytes and gives the nibble's number;
    - ``nibble_order`` "low" or "high" says which half of a byte is its first nibble (nibble);
    - ``masked_loads_keep`` True keeps a vector's elements that v0 masks off (vector-mask-policy);
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
    talu_mask: "Callable[[TileCore], Sequence[bool]] | None" = None
    immediate_offset: Callable[[int, int], int] | None = None
    immediate_with_register: Callable[[int], int] | None = None
    nibble_order: str | None = None
    masked_loads_keep: bool | None = None
    move_offset: Callable[[int, int], int] | None = None
    global_space: int | None = None
    interlock: bool | None = None
    completes_in_order: bool | None = None

    def __post_init__(self) -> None:
        if self.tile_bytes <= 0 or self.tile_bytes % GRAIN:
            raise BadInputError(f"tile_bytes={self.tile_bytes} is not a multiple of {GRAIN}")
        if not 0 < self.tile_count <= 256:
            raise BadInputError(f"tile_count={self.tile_count} is not in 1..256")
        if self.vlen < 64 or self.vlen & (self.vlen - 1):
            raise BadInputError(f"vlen={self.vlen} is not a power of two from 64 bits")
        if self.nibble_order not in (None, "low", "high"):
            raise BadInputError(f"nibble_order={self.nibble_order!r} is neither low nor high")
        if self.global_bytes <= 0 or self.share_bytes <= 0:
            raise BadInputError("a memory has no bytes")


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
    operations: "Operations[TileCore]" = field(default_factory=Operations)
    csr: dict[int, int] = field(default_factory=dict)
    outstanding: list[Outstanding] = field(default_factory=list)
    observer: Races | None = None
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

    def stretches(self, span: Span, name: str) -> NDArray[np.int64]:
        """Return the byte indices of a span, (addresses, size); ProgramError outside memory."""
        if span.space not in self.memory:
            raise ProgramError(f"{name}: there is no {span.space} memory")
        size = len(self.memory[span.space])
        for address in span.addresses:
            if not 0 <= address <= size - span.size:
                raise ProgramError(
                    f"{name}: {span.space} memory has {size:#x} bytes, the access is at "
                    f"{address:#x}"
                )
        return np.array(span.addresses, np.int64).reshape(-1, 1) + np.arange(span.size)

    def use(self, name: str, access: Access) -> None:
        """Check an operation against what is outstanding, here and in other threads."""
        if not self.parameters.interlock:
            for other in self.outstanding:
                if what := access.conflict(other.access):
                    raise MissingSpecification(
                        "interlock", f"{name} uses {what}, which {other.name} has outstanding"
                    )
        if self.observer is not None:
            self.observer.used(self.thread, name, access)

    def issue(
        self,
        name: str,
        access: Access,
        counter: str,
        group: int | None = None,
        barrier: int | None = None,
    ) -> None:
        """Make an operation outstanding in a counter; it was checked with :meth:`use`."""
        operation = Outstanding(counter, name, access, group, barrier)
        self.outstanding.append(operation)
        if self.observer is not None:
            self.observer.issued(self.thread, operation)

    def complete(self, done: Callable[[Outstanding], bool]) -> None:
        """Complete the outstanding operations that a wait covers."""
        finished = [operation for operation in self.outstanding if done(operation)]
        self.outstanding = [operation for operation in self.outstanding if not done(operation)]
        if self.observer is not None:
            for operation in finished:
                self.observer.completed(self.thread, operation)

    def retire(self, counter: str, limit: int) -> None:
        """Complete operations of a counter, oldest first, until at most ``limit`` are left."""
        mine = [operation for operation in self.outstanding if operation.counter == counter]
        excess = len(mine) - limit
        if excess <= 0:
            return
        if limit and not self.parameters.completes_in_order:
            raise MissingSpecification("completion-order", f"t_wait for {counter} <= {limit}")
        finished = {id(operation) for operation in mine[:excess]}
        self.complete(lambda operation: id(operation) in finished)
