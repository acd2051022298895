"""The NoC: takes requests that tiles have initiated, carries them out, counts what came back.

Requests of one tile arrive in the order in which they were initiated, each before the tile's next
round: the earliest that the rules allow. Sources: tt-isa-documentation, NoC/MemoryMap.md,
NoC/Counters.md, NoC/Alignment.md, NoC/Atomics.md.

Not modelled: time (latency, bandwidth, virtual channels), linked transactions as a unit, byte
enables, delivery to streams, replies to another tile than the asking one, atomics other than
increment, counters of the target's side.
"""

from typing import Final, NamedTuple, NoReturn

from tilelab.sim.errors import (
    MachineError,
    UndefinedBehaviorError,
    UnimplementedFunctionalityError,
)
from tilelab.tensix.arch import Arch
from tilelab.tensix.chip.places import Answering, NoSuchPlaceError, TensixPlace
from tilelab.tensix.noc import niu as n
from tilelab.tensix.state.records import State
from tilelab.tensix.tables.layout import Layout, Place
from tilelab.tensix.words.origin import CORE_NAMES

INCREMENT: Final = 1
"""The only atomic opcode modelled, in bits 15..12 of its length register."""
KINDS = ("read", "atomic", "write", "request of no type")
REGISTERS: Final = 0xFF000000
INLINE_BYTES: Final = 16


class Request(NamedTuple):
    """A request, as ``noc.record.REQUEST``."""

    niu: int
    core: int
    pc: int
    control: int
    tag: int
    length: int
    data: int
    target: int
    target_at: int
    ret: int
    ret_at: int


def low(at: int) -> Place:
    """The coordinates of a unicast target, or where a broadcast ends."""
    return at & 63, at >> 6 & 63


class Network:
    """Connects places by coordinates."""

    def __init__(self, arch: Arch, places: dict[Place, Answering]) -> None:
        self.arch, self.layout = arch, arch.layout
        self.places = places
        self.translated = _translated(self.layout)
        self.requests = 0
        """How many have been carried out."""

    def place(self, niu: int, at: Place) -> Place:
        """Coordinates as the chip's layout has them, from those that an interface uses."""
        x, y = at
        if x < self.layout.mirrored_below:
            if niu:
                x, y = self.arch.noc.width - 1 - x, self.arch.noc.height - 1 - y
            return self.translated.get((x, y), (x, y))
        return at

    def at(self, niu: int, at: Place) -> Answering:
        """What answers there."""
        found = self.places.get(self.place(niu, at))
        if found is None:
            raise NoSuchPlaceError(f"there is no tile at {at[0]},{at[1]}")
        return found

    def rectangle(self, niu: int, at: int) -> list[TensixPlace]:
        """The Tensix tiles of a broadcast's rectangle, in order of rows."""
        end, start = self.place(niu, low(at)), self.place(niu, low(at >> 12))
        if niu:
            start, end = end, start
        return [
            found
            for place, found in self.places.items()
            if isinstance(found, TensixPlace)
            and all(_spans(*span) for span in zip(start, place, end, strict=True))
        ]

    def deliver(self, tile: TensixPlace) -> None:
        """Carry out everything that a tile has initiated."""
        s = tile.tile.state.s
        rows = tile.tile.state.record["noc"]["request"][: s.noc.requests].tolist()
        s.noc.requests = 0
        for row in rows:
            request = Request(*row)
            self.requests += 1
            try:
                self._carry_out(tile, s, request)
            except NoSuchPlaceError as problem:
                _fail(tile, request, UnimplementedFunctionalityError, str(problem))
        if rows:
            tile.write(0, b"")  # what waits for a counter may go on

    def _carry_out(self, tile: TensixPlace, s: State, r: Request) -> None:
        kind = r.control & 3
        if kind == n.READ:
            self._read(tile, s, r)
        elif kind == n.ATOMIC:
            self._atomic(tile, s, r)
        else:
            self._write(tile, s, r)

    def _home(self, tile: TensixPlace, r: Request, at: int) -> None:
        if self.place(r.niu, low(at)) != tile.place:
            problem = f"its answer is to go to another tile, {low(at)[0]},{low(at)[1]}"
            _fail(tile, r, UnimplementedFunctionalityError, problem)

    def _aligned(self, tile: TensixPlace, r: Request, source: int, other: Answering) -> None:
        """Both addresses must agree in their low bits, as many as the memories demand."""
        modulo = other.alignment if r.control & 3 == n.READ else min(other.alignment, 16)
        if max(r.target, r.ret) < REGISTERS and (r.target - r.ret) % modulo:
            problem = f"addresses {r.target:#x} and {r.ret:#x} differ modulo {modulo}"
            _fail(tile, r, UndefinedBehaviorError, f"{problem} (NoC/Alignment.md)")

    def _read(self, tile: TensixPlace, s: State, r: Request) -> None:
        source = self.at(r.niu, low(r.target_at))
        self._home(tile, r, r.ret_at)
        self._aligned(tile, r, r.target, source)
        tile.write(r.ret, source.read(r.target, r.length))
        n.count(s, r.niu, n.READS_SENT, 1)
        n.count(s, r.niu, n.READ_RESPONSES, 1)
        n.count(s, r.niu, n.OUTSTANDING + n.transaction(r.tag), -1)

    def _write(self, tile: TensixPlace, s: State, r: Request) -> None:
        inline = r.control & n.INLINE
        if r.control & n.BYTE_ENABLES and not inline:
            _fail(tile, r, UnimplementedFunctionalityError, "byte enables are not modelled")
        if inline:
            address, at, data = r.target, r.target_at, r.data.to_bytes(4, "little")
        else:
            self._home(tile, r, r.target_at if not r.control & n.BROADCAST else _own(tile))
            address, at, data = r.ret, r.ret_at, tile.read(r.target, r.length)
        targets: list[Answering]
        if r.control & n.BROADCAST:
            others = self.rectangle(r.niu, at)
            targets = [p for p in others if p is not tile or r.control & n.INCLUDE_SELF]
        else:
            targets = [self.at(r.niu, low(at))]
        for target in targets:
            if inline:
                self._write_inline(tile, r, target)
            else:
                self._aligned(tile, r, r.target, target)
                target.write(address, data)
        self._count_write(s, r, len(targets))

    def _write_inline(self, tile: TensixPlace, r: Request, target: Answering) -> None:
        """Write the four bytes of an inline write; to L1 (Wormhole) by byte enables of 16 bytes."""
        if r.target >= REGISTERS:
            target.write(r.target, r.data.to_bytes(4, "little"))
            return
        if not self.arch.noc.inline_to_l1:
            problem = "an inline write to L1 is not safe on this chip (NoC/MemoryMap.md)"
            _fail(tile, r, UndefinedBehaviorError, problem)
        base = r.target & -INLINE_BYTES
        data = r.data.to_bytes(4, "little") * (INLINE_BYTES // 4)
        for i in range(2 * INLINE_BYTES):
            if r.length >> i & 1:
                target.write(base + i % INLINE_BYTES, data[i % INLINE_BYTES :][:1])

    def _count_write(self, s: State, r: Request, acks: int) -> None:
        if not r.control & n.INLINE:
            n.count(s, r.niu, n.OUTGOING + n.transaction(r.tag), -1)
        if not r.control & n.RESPONSE:
            n.count(s, r.niu, n.POSTED_WRITES_SENT, 1)
            return
        n.count(s, r.niu, n.WRITES_SENT, 1)
        n.count(s, r.niu, n.WRITE_ACKS, acks)
        n.count(s, r.niu, n.OUTSTANDING + n.transaction(r.tag), -acks)

    def _atomic(self, tile: TensixPlace, s: State, r: Request) -> None:
        if r.length >> 12 & 15 != INCREMENT:
            problem = f"atomic operation {r.length:#x} is not modelled"
            _fail(tile, r, UnimplementedFunctionalityError, problem)
        targets: list[Answering]
        if r.control & n.BROADCAST:
            others = self.rectangle(r.niu, r.target_at)
            targets = [p for p in others if p is not tile or r.control & n.INCLUDE_SELF]
        else:
            targets = [self.at(r.niu, low(r.target_at))]
        address = (r.target & ~15) + 4 * (r.length & 3)
        mask = (2 << (r.length >> 2 & 31)) - 1 & 0xFFFFFFFF
        for target in targets:
            old = target.read(address, 4)
            value = int.from_bytes(old, "little")
            new = (value + r.data & mask) | (value & ~mask)
            target.write(address, new.to_bytes(4, "little"))
            if r.control & n.RESPONSE:
                self._home(tile, r, r.ret_at)
                tile.write(r.ret, old)
        if r.control & n.RESPONSE:
            n.count(s, r.niu, n.ATOMICS_SENT, 1)
            n.count(s, r.niu, n.ATOMIC_RESPONSES, len(targets))
            n.count(s, r.niu, n.OUTSTANDING + n.transaction(r.tag), -len(targets))
        else:
            n.count(s, r.niu, n.POSTED_ATOMICS_SENT, 1)


def _own(tile: TensixPlace) -> int:
    return tile.place[0] | tile.place[1] << 6


def _spans(start: int, value: int, end: int) -> bool:
    if start <= end:
        return start <= value <= end
    return value <= end or start <= value


def _translated(layout: Layout) -> dict[Place, Place]:
    """Of each Tensix tile's physical coordinates, those that programs use."""
    return {
        (layout.columns[x], layout.rows[y]): (x, y) for x in layout.columns for y in layout.rows
    }


def _fail(tile: TensixPlace, r: Request, error: type[MachineError], problem: str) -> NoReturn:
    """Say who asked for what, and what is wrong with it."""
    who = f"{tile.name}: {CORE_NAMES.get(r.core, 'host')} at {r.pc:#x}"
    what = f"NoC {r.niu} {KINDS[r.control & 3]} (NOC_CTRL {r.control:#x}, {r.length} bytes)"
    places = f"target {r.target:#x} at {low(r.target_at)}, return {r.ret:#x} at {low(r.ret_at)}"
    where = tile.tile.sources.describe_pc(r.core, r.pc)
    raise error(f"{who}, {what}: {problem}", f"  {places}\n  {where}")
