"""Operation tables for MMA and TALU: what the user registers, because the document has no codes."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from tilelab.tilext.errors import MissingSpecification

Bytes = NDArray[np.uint8]


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


@dataclass(frozen=True)
class TaluInputs:
    """What a TALU operation gets: sources in order, and the flags its words have.

    A source is a tile register's bytes, a vector's elements (unsigned), or a float's raw bits.
    """

    sources: tuple[NDArray[np.generic] | int, ...]
    flags: frozenset[str]


@dataclass(frozen=True)
class MmaOperation:
    """An MMA operation: inputs to the new output registers, (count, tile_bytes) bytes.

    ``registers(tilesize, multitile)`` gives how many registers B and the output have when
    tilesize is above 1 (question mma-shape); A has tilesize if multitile, else one.
    """

    compute: Callable[[MmaInputs], NDArray[np.generic]]
    registers: Callable[[int, bool], tuple[int, int]] | None = None


@dataclass
class Operations:
    """The tables: MMA by mmauop, TALU by instruction, vecuop1 and vecuop2."""

    mma: dict[int, MmaOperation] = field(default_factory=dict)
    talu: dict[tuple[str, int, int], Callable[[TaluInputs], NDArray[np.generic]]] = field(
        default_factory=dict
    )

    def find_mma(self, mmauop: int) -> MmaOperation:
        """Return the operation registered for a code."""
        if mmauop not in self.mma:
            raise MissingSpecification("mmauop", f"mmauop {mmauop} is not registered")
        return self.mma[mmauop]

    def find_talu(
        self, name: str, vecuop1: int, vecuop2: int
    ) -> Callable[[TaluInputs], NDArray[np.generic]]:
        """Return the operation registered for an instruction's codes."""
        if (name, vecuop1, vecuop2) not in self.talu:
            where = f"{name} with vecuop1 {vecuop1}, vecuop2 {vecuop2} is not registered"
            raise MissingSpecification("talu-class", where)
        return self.talu[name, vecuop1, vecuop2]
