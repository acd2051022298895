"""What operations use, and whether two of them meet."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

GRAIN = 32  # bytes; what tmask, stride and index vector count in
Bytes = NDArray[np.uint8]


@dataclass(frozen=True)
class Span:
    """Stretches of ``size`` bytes at addresses of a memory, read or (``stores``) written."""

    space: str
    addresses: tuple[int, ...]
    stores: bool
    size: int = GRAIN

    def meets(self, other: "Span") -> str:
        """Return what both use and one of them changes, or ""."""
        if self.space != other.space or not (self.stores or other.stores):
            return ""
        theirs = np.array(sorted(other.addresses))
        for address in sorted(self.addresses):
            near = int(np.searchsorted(theirs, address - other.size, side="right"))
            if near < len(theirs) and theirs[near] < address + self.size:
                return f"{self.space} memory at {max(address, int(theirs[near])):#x}"
        return ""


@dataclass(frozen=True)
class Access:
    """What an operation uses: tile registers read and written, and stretches of memory."""

    reads: frozenset[int] = frozenset()
    writes: frozenset[int] = frozenset()
    spans: tuple[Span, ...] = ()

    def conflict(self, other: "Access") -> str:
        """Return what two operations both use and one of them changes, or ""."""
        shared = self.writes & (other.reads | other.writes) | self.reads & other.writes
        if shared:
            return f"tr{min(shared)}"
        return self.memory_conflict(other)

    def memory_conflict(self, other: "Access") -> str:
        """Return what of a memory both use and one of them changes, or ""."""
        found = (mine.meets(theirs) for mine in self.spans for theirs in other.spans)
        return next((what for what in found if what), "")


@dataclass(frozen=True)
class Outstanding:
    """An operation that no wait has covered yet; a copy has a ``group`` and a ``barrier``."""

    counter: str
    name: str
    access: Access
    group: int | None = None
    barrier: int | None = None
