"""A shadow of every byte: which instruction wrote it last, which read it since.

Memory is cut into regions (an allocation of GM, one core's UB, ...). An access is rows of a length
at a distance. Each access is compared with what the bytes remember: an older access that ``Order``
does not put before this one is a race, whichever came first in this run; a read of bytes that
nothing wrote is told; so is a write over a result or over pushed bytes that nobody has read.
"""

from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from tilelab.pto.memory import Rows
from tilelab.pto.order import Order

Ids = NDArray[np.int32]
_Array = TypeVar("_Array", Ids, NDArray[np.uint8])
HOST = 1  # the event that stands for whatever the host wrote


@dataclass
class Access:
    """One instruction as its bytes remember it."""

    agent: int
    time: int
    block: int
    op: str
    where: int  # return address in the kernel, or a source line
    payload: tuple[str, int] = ("", -1)  # ring and tile, for what a push or a pop moves
    landed: bool = False  # by a pop: its own core is to read it
    overrun: bool = False  # a push into a slot that its consumer has not released
    line: str = ""  # where it stands in a program that was not compiled
    carries: bool = False  # it has read something: what it writes is worth reading
    adds: bool = False  # it adds to what lies there, atomically: in which order, is all the same
    patches: bool = False  # it writes a part of what it reaches, and the rest stays
    extent: tuple[int, int] = (0, 0)  # of what it wrote last
    streams: frozenset[tuple[int, int]] = frozenset()  # extents taken element by element, in order


@dataclass
class Clash:
    """What an access finds wrong: ``kind`` is race, unwritten, lost or outside."""

    kind: str
    region: str
    offset: int
    mine: Access
    theirs: Access | None
    writes: tuple[bool, bool] = (False, False)  # mine, theirs
    base: int = 0  # of the region


class Region:
    """Bytes that have an owner's name; ``capacity`` is what the hardware has of them; ``local``: no
    one but the cores reads them.
    """

    def __init__(
        self, name: str, base: int, nbytes: int, capacity: int | None = None, local: bool = False
    ) -> None:
        self.name = name
        self.base = base
        self.nbytes = nbytes
        self.local = local
        self.capacity = nbytes if capacity is None else capacity
        self.written: Ids = np.zeros(0, np.int32)
        self.values: NDArray[np.uint8] | None = (
            None  # as of the last write, where values are watched
        )
        self.live: NDArray[np.uint8] | None = None  # the bytes themselves
        self.reads: dict[int, Ids] = {}
        self.adds: dict[int, Ids] = {}  # what each pipe added last

    def grow(self, end: int) -> None:
        """Make room for the bytes before ``end``."""
        if end > len(self.written):
            size = min(self.nbytes, max(end, 2 * len(self.written), 4096))
            self.written = _larger(self.written, size)
            for kept in (self.reads, self.adds):
                for agent, ids in kept.items():
                    kept[agent] = _larger(ids, size)

    def watch(self, live: NDArray[np.uint8]) -> None:
        """Remember what was written, too: two writes of the same values do no harm."""
        self.live = live
        self.values = live.copy()

    def unchanged(self, rows: Rows) -> bool:
        """Whether a write left these bytes as the write before it did."""
        if self.live is None or self.values is None:
            return False
        return bool((_cut(self.live, rows) == _cut(self.values, rows)).all())

    def keep(self, rows: Rows) -> None:
        """Remember the bytes as they are now."""
        if self.live is not None and self.values is not None:
            _cut(self.values, rows)[...] = _cut(self.live, rows)

    def by(self, kept: dict[int, Ids], agent: int) -> Ids:
        """What this pipe read, or added, last, byte by byte; ``kept`` is ``reads`` or ``adds``."""
        found = kept.get(agent)
        if found is None:
            found = kept[agent] = np.zeros(len(self.written), np.int32)
        return found


def _larger(ids: Ids, size: int) -> Ids:
    larger = np.zeros(size, np.int32)
    larger[: len(ids)] = ids
    return larger


def _cut(ids: _Array, rows: Rows) -> _Array:
    if rows.rows == 1:
        return ids[rows.start : rows.start + rows.nbytes]
    part = ids[rows.start :]
    step = part.strides[0]
    shape = (rows.rows, rows.nbytes)
    return np.lib.stride_tricks.as_strided(part, shape, (rows.stride * step, step))


def _distinct(cut: Ids) -> Iterator[int]:
    """The ids in a part, each once or a few times."""
    first = cut.flat[0]
    if (cut == first).all():
        yield int(first)
        return
    flat = cut.ravel()
    change = np.flatnonzero(flat[1:] != flat[:-1])
    yield from {int(flat[0]), *map(int, flat[change + 1])}


def _follows(mine: Access, theirs: Access, address: int, rows: Rows) -> bool:
    """Whether both take the same extent element by element: the later never overtakes."""
    extent = (address, address + rows.end - rows.start)
    return mine.agent == theirs.agent and extent in mine.streams and extent in theirs.streams


@dataclass
class _Touch:
    """An access as it reaches one region, and what its bytes remember: their last writers."""

    order: Order
    access: Access
    region: Region
    rows: Rows
    last: Ids
    write: bool
    address: int

    def clash(self, kind: str, theirs: Access | None, writes: bool, at: int | None = None) -> Clash:
        """A clash with another access, which ``writes`` or reads."""
        region, offset = self.region, self.rows.start if at is None else at
        both = (self.write, writes)
        return Clash(kind, region.name, offset, self.access, theirs, both, region.base)


class Shadow:
    """All regions, and every access so far."""

    def __init__(self, every_read: bool = True) -> None:
        self.every_read = every_read  # no read goes by unseen: bytes without one were not read
        self.accesses: list[Access] = [
            Access(-1, 0, -1, "", 0),  # never
            Access(-1, 0, -1, "the host", 0),
        ]
        self._bases: list[int] = []
        self._regions: list[Region] = []
        self.block = 0

    def add(self, region: Region) -> None:
        """A new region; one at the same base is replaced."""
        self.remove(region.base)
        at = bisect_right(self._bases, region.base)
        self._bases.insert(at, region.base)
        self._regions.insert(at, region)

    def remove(self, base: int) -> None:
        """Forget the region at ``base``."""
        at = bisect_right(self._bases, base) - 1
        if at >= 0 and self._bases[at] == base:
            del self._bases[at], self._regions[at]

    def find(self, address: int) -> Region | None:
        """The region that holds an address."""
        at = bisect_right(self._bases, address) - 1
        if at < 0 or address >= self._regions[at].base + self._regions[at].nbytes:
            return None
        return self._regions[at]

    def host_write(self, address: int, nbytes: int) -> None:
        """The host filled these bytes."""
        region = self.find(address)
        if region is not None and nbytes:
            start = address - region.base
            region.grow(start + nbytes)
            region.written[start : start + nbytes] = HOST
            region.keep(Rows(start, 1, nbytes, nbytes))

    def host_fill(self, address: int, nbytes: int) -> None:
        """The host may have filled these bytes, as far as nothing else wrote them."""
        region = self.find(address)
        if region is not None and nbytes:
            start = address - region.base
            region.grow(start + nbytes)
            part = region.written[start : start + nbytes]
            part[part == 0] = HOST

    def note(self, access: Access) -> int:
        """Number an access."""
        self.accesses.append(access)
        return len(self.accesses) - 1

    def touch(
        self, order: Order, number: int, address: int, rows: Rows, write: bool
    ) -> list[Clash]:
        """An access reaches bytes. Two writes of the same values to watched bytes are no race."""
        access = self.accesses[number]
        region = self.find(address)
        if region is None:
            return [Clash("outside", "", address, access, None, (write, False))]
        rows = rows._replace(start=address - region.base)
        found: list[Clash] = []
        if rows.end > region.capacity:
            both = (write, False)
            found.append(Clash("outside", region.name, rows.end, access, None, both, region.base))
            if rows.end > region.nbytes:
                return found
        region.grow(rows.end)
        touch = _Touch(order, access, region, rows, _cut(region.written, rows), write, address)
        found += self._writers(touch)
        if not access.adds:
            found += self._adders(touch)
        elif write:
            _cut(region.by(region.adds, access.agent), rows)[...] = number
        if write:
            access.extent = (address, address + rows.end - rows.start)
            for agent, ids in region.reads.items():
                for one in _distinct(_cut(ids, rows)):
                    other = self.accesses[one]
                    if one and not self._ordered(order, other, access) and agent != access.agent:
                        found.append(touch.clash("race", other, False))
            touch.last[...] = number
            region.keep(rows)
        else:
            access.carries = True
            _cut(region.by(region.reads, access.agent), rows)[...] = number
        return found

    def _writers(self, touch: _Touch) -> list[Clash]:
        found = []
        access, rows, write = touch.access, touch.rows, touch.write
        for one in _distinct(touch.last):
            other = self.accesses[one]
            if one == 0:
                if not write:
                    offset = rows.start + int(np.flatnonzero(touch.last.ravel() == 0)[0])
                    found.append(touch.clash("unwritten", None, False, offset))
                continue
            in_turn = write and other.agent == access.agent  # one pipe writes in its order
            in_turn = in_turn or (write and access.adds and other.adds)
            in_turn = in_turn or _follows(access, other, touch.address, rows)
            if not in_turn and not self._ordered(touch.order, other, access):
                if not (write and touch.region.unchanged(rows)):
                    found.append(touch.clash("race", other, True))
            elif write and other.payload[0]:
                if self._lost(touch, other, one):
                    found.append(touch.clash("lost", other, True))
            elif write and self._unread(touch, one):
                found.append(touch.clash("lost", other, True))
        return found

    def _adders(self, touch: _Touch) -> list[Clash]:
        """Additions that nothing orders, other than the last one, which ``_writers`` has seen."""
        adds, access = touch.region.adds, touch.access
        known = set(_distinct(touch.last)) if adds else set()
        return [
            touch.clash("race", self.accesses[one], True)
            for agent, ids in adds.items()
            for one in set(_distinct(_cut(ids, touch.rows))) - known - {0}
            if agent != access.agent and not self._ordered(touch.order, self.accesses[one], access)
        ]

    def _unread(self, touch: _Touch, one: int) -> bool:
        """Whether a result in a core's own memory is overwritten before anything has read it.

        What an instruction makes of nothing (a constant, scratch) is none; a write inside the
        extent of another patches it. (In GM the host reads, and stores may add up.)
        """
        theirs, mine, region = self.accesses[one], touch.access, touch.region
        inside = theirs.extent[0] <= mine.extent[0] and mine.extent[1] <= theirs.extent[1]
        patch = mine.patches or (inside and mine.extent != theirs.extent)
        if not (self.every_read and region.local and theirs.carries) or patch:
            return False
        if theirs.block != self.block:
            return False
        mask = touch.last == one
        return not any((_cut(ids, touch.rows)[mask] > one).any() for ids in region.reads.values())

    def _ordered(self, order: Order, earlier: Access, later: Access) -> bool:
        if earlier.agent < 0 or earlier.block < 0:
            return True
        if earlier.block != self.block:
            return False
        return order.before(earlier.agent, earlier.time, later.agent)

    def _lost(self, touch: _Touch, theirs: Access, one: int) -> bool:
        """Whether pushed bytes are lost unread (a later tile's push is the slot's affair)."""
        mine = touch.access
        ring, tile = mine.payload
        if ring == theirs.payload[0] and tile != theirs.payload[1] and not mine.overrun:
            return False
        if ring and mine.agent != theirs.agent:
            return False
        mask = touch.last == one
        core_of = touch.order.core_of
        for agent, ids in touch.region.reads.items():
            reader = theirs.landed or core_of(agent) != core_of(theirs.agent)
            if reader and (_cut(ids, touch.rows)[mask] > one).any():
                return False
        return True

    def end_launch(self) -> None:
        """A launch has ended: everything in it comes before whatever follows."""
        for access in self.accesses:
            access.block = -1
