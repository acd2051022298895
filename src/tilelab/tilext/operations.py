"""Operation tables: what the user registers, because the document has no codes for it."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from tilelab.tilext.errors import MissingSpecification
from tilelab.tilext.memory import Bytes, Span

Core = TypeVar("Core")
"""The core that a user's function is given: :class:`tilelab.tilext.state.TileCore`."""


@dataclass(frozen=True)
class MmaInputs:
    """What an MMA operation gets: registers as (count, tile_bytes) bytes, and the flags.

    The document says: neg1 and negd multiply the left and the output matrix by minus one,
    transmata and transmatb transpose A and B at 8-bit granularity, reuse keeps an operand.
    """

    a: Bytes
    b: Bytes
    d: Bytes
    neg1: bool
    negd: bool
    transmata: bool
    transmatb: bool
    reuse1: bool
    reuse2: bool
    reused: bool
    fields: Mapping[str, int] = field(default_factory=dict)
    """Operands that an overlay adds."""


@dataclass(frozen=True)
class TaluInputs:
    """What a TALU operation gets: sources in order, and the flags its words have.

    A source is a tile register's bytes, a vector's elements (unsigned), or a float's raw bits.
    ``flags`` are the one-bit operands that are set, ``fields`` the other numbers: what the table
    has and what an overlay adds (neg3, format).
    """

    sources: tuple[NDArray[np.generic] | int, ...]
    flags: frozenset[str]
    fields: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class MmaOperation:
    """An MMA operation: inputs to the new output registers, (count, tile_bytes) bytes.

    ``registers(tilesize, multitile)`` gives how many registers B and the output have when
    tilesize is above 1 (question mma-shape); A has tilesize if multitile, else one.
    """

    compute: Callable[[MmaInputs], NDArray[np.generic]]
    registers: Callable[[int, bool], tuple[int, int]] | None = None


@dataclass(frozen=True)
class Described:
    """A matrix that a vector's descriptor names: its bytes, and the memory they are in."""

    data: NDArray[np.generic]
    spans: tuple[Span, ...]


@dataclass(frozen=True)
class AtomicInputs:
    """What an atomic operation gets (lines 150-177).

    ``address`` is rs1, plus rs3 under offseten; ``old`` the memory there. ``operand`` is rs2 or
    the tile register's bytes, ``compare`` rs3 under cas_en. ``values`` are all operands.
    """

    address: int
    old: Bytes
    operand: int | Bytes
    compare: int | None
    values: Mapping[str, int]


@dataclass(frozen=True)
class AtomicOperation:
    """An atomic operation by its memuop.

    ``size(values)`` gives the bytes of memory it works on; ``compute`` the new memory, of that
    size, and what is returned: a number for rd, bytes for a tile register, or None.
    """

    size: Callable[[Mapping[str, int]], int]
    compute: Callable[[AtomicInputs], tuple[NDArray[np.generic], int | Bytes | None]]


@dataclass(frozen=True)
class CopyInputs:
    """What Tensor Async Copy gets: dst and src as numbers, the coord/size vector, all operands."""

    dst: int
    src: int
    vector: NDArray[np.generic]
    values: Mapping[str, int]


@dataclass(frozen=True)
class Move:
    """``size`` bytes from a place in a memory (space, address) to another."""

    source: tuple[str, int]
    target: tuple[str, int]
    size: int


@dataclass(frozen=True)
class Copy:
    """What a copy does: its moves; the group and the mbarrier or semaphore that its end signals."""

    moves: tuple[Move, ...]
    group: int | None = None
    barrier: int | None = None


Talu = Callable[[TaluInputs], NDArray[np.generic]]


@dataclass
class Operations(Generic[Core]):
    """The tables. ``mma`` by mmauop, ``talu`` by instruction, vecuop1 and vecuop2, ``atomic`` by
    memuop; ``copy`` says what a Tensor Async Copy moves, ``describe(core, vector, values)`` which
    matrix a vector's descriptor names; ``user`` runs instructions that an overlay adds, by name,
    and returns False to be asked again later.
    """

    mma: dict[int, MmaOperation] = field(default_factory=dict)
    talu: dict[tuple[str, int, int], Talu] = field(default_factory=dict)
    atomic: dict[int, AtomicOperation] = field(default_factory=dict)
    copy: Callable[[Core, CopyInputs], Copy] | None = None
    describe: Callable[[Core, Bytes, Mapping[str, int]], Described] | None = None
    user: dict[str, Callable[[Core, Mapping[str, int]], bool | None]] = field(default_factory=dict)

    def find_mma(self, mmauop: int) -> MmaOperation:
        """Return the operation registered for a code."""
        if mmauop not in self.mma:
            raise MissingSpecification("mmauop", f"mmauop {mmauop} is not registered")
        return self.mma[mmauop]

    def find_talu(self, name: str, vecuop1: int, vecuop2: int) -> Talu:
        """Return the operation registered for an instruction's codes."""
        if (name, vecuop1, vecuop2) not in self.talu:
            where = f"{name} with vecuop1 {vecuop1}, vecuop2 {vecuop2} is not registered"
            raise MissingSpecification("talu-class", where)
        return self.talu[name, vecuop1, vecuop2]

    def find_atomic(self, memuop: int) -> AtomicOperation:
        """Return the operation registered for a code."""
        if memuop not in self.atomic:
            raise MissingSpecification("atomic-codes", f"memuop {memuop} is not registered")
        return self.atomic[memuop]
