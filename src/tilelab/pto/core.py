"""A core as its program sees it: opening pipes, tile operations, and raw synchronisation."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from tilelab.pto.config import Pipe, TileType, TMPipe, TPipe
from tilelab.pto.consumer import Consumer
from tilelab.pto.end import End, Steps, Wait
from tilelab.pto.errors import (
    CapacityError,
    Finding,
    FlagConflictError,
    FlagRangeError,
    HazardError,
    OverrunHazard,
    PipeConfigError,
    ProfileError,
    ProtocolOrderError,
    PtoError,
)
from tilelab.pto.flags import IDS, SUBBLOCK_ALIAS, Counter
from tilelab.pto.memory import Memory
from tilelab.pto.ops import TileOps
from tilelab.pto.paths import Path, find_path
from tilelab.pto.pipe import Fifo, OpenPipe
from tilelab.pto.protocol import Protocol
from tilelab.pto.ring import Ring
from tilelab.pto.trace import Step

if TYPE_CHECKING:
    from tilelab.pto.cluster import Cluster

Waiting = tuple[str, str, End | None, int, Wait]


class Core(TileOps):
    """`lane` is -1 on the Cube, the sub-block number on a Vector core."""

    def __init__(self, cluster: Cluster, name: str, lane: int) -> None:
        self.cluster = cluster
        self.name = name
        self.lane = lane
        self.program: Generator[Counter | None, None, Any] = None  # type: ignore[assignment]
        self.awaited: Counter | None = None
        self.waiting: Waiting | None = None
        self.unstarted = 0
        self.pipes: list[OpenPipe] = []
        self.joined: list[Ring] = []
        self.consumers: list[Consumer] = []
        # A C++ kernel may protect a slot by flags of its own: its bytes tell whether an overrun is
        # one.
        self.confirms_overruns = False
        self.locate: Callable[[], str] = lambda: (
            ""
        )  # "file:line: " of what runs, where that is known
        self.overrun: Finding | None = None
        self._opened: dict[Pipe, int] = {}
        self._raw_flags: set[int] = set()
        # What happens once a tile is noted in place, where anything is: see `Step`.
        self.traced = cluster.tracing
        self.log = cluster.events.append

    @property
    def subblock(self) -> int:
        """get_subblockid(): 0 or 1 on a Vector core, 0 on the Cube."""
        return max(self.lane, 0)

    def local_memory(self, loc: TileType) -> Memory:
        """The memory behind tiles of a place on this core."""
        return self.cluster.memory(self.name, loc)

    # -- pipes

    def open(
        self, pipe: TPipe, gm: int | NDArray[Any] = 0, c2v_buf: int = 0, v2c_buf: int = 0
    ) -> OpenPipe:
        """Construct a TPipe on this core: GM slot buffer (an address, or your own array), consumer
        buffers.

        The consumer's constructor sends the protocol's initial credits. Addresses that a path does
        not use are
        ignored, as on the hardware.
        """
        if not isinstance(pipe, TPipe):
            raise PipeConfigError("open() takes a TPipe; a TMPipe is opened by open_multi()")
        buffers = {"C2V": c2v_buf, "V2C": v2c_buf}
        fifo = Fifo(gm if isinstance(gm, int) else 0, c2v_buf, v2c_buf)
        return self._open(pipe, gm, buffers, fifo)

    def open_multi(
        self, pipe: TMPipe, base: int | NDArray[Any] = 0, local_base: int = 0
    ) -> OpenPipe:
        """Construct a TMPipe: the FIFO's base (in GM, or an address in the consumer's memory) and
        local base."""
        if not isinstance(pipe, TMPipe):
            raise PipeConfigError("open_multi() takes a TMPipe; a TPipe is opened by open()")
        address = base if isinstance(base, int) else 0
        direct = find_path(self.cluster.arch, pipe, pipe.direction.halves[0]).medium != "GM"
        buffer = address if direct else local_base
        fifo = Fifo(address, buffer, buffer)
        return self._open(pipe, base, {"C2V": buffer, "V2C": buffer}, fifo)

    def _open(
        self, pipe: Pipe, gm: int | NDArray[Any], buffers: dict[str, int], fifo: Fifo
    ) -> OpenPipe:
        cluster = self.cluster
        for value in (gm, *buffers.values()):
            if isinstance(value, int) and value < 0:
                raise CapacityError(f"{self.name} opens a pipe at the address {value:#x}")
        generation = self._opened.get(pipe, 0)
        key = (pipe, generation)
        existing = cluster.rings.get(key)
        placed = self._place(pipe, gm, buffers)
        rings = [
            Ring(cluster.arch, cluster.vec, path, pipe, protocol, half, base, memories)
            for half, (path, protocol, base, memories) in enumerate(placed)
        ]
        self._check_conflicts(pipe, rings)
        if existing is None:
            cluster.rings[key] = rings
            for ring in rings:
                self._check_new(ring)
        else:
            for mine, theirs in zip(rings, existing, strict=True):
                if mine.base != theirs.base or _where(mine) != _where(theirs):
                    raise PipeConfigError(
                        f"{self.name} opens {mine.name} at {mine.base:#x}, another core "
                        f"at {theirs.base:#x}"
                    )
            rings = existing
        self._opened[pipe] = generation + 1
        self.joined += rings
        opened = OpenPipe(self, pipe, rings, fifo, buffers)
        self.pipes.append(opened)
        if opened._cons is not None:
            self.consumers.append(opened._cons)
        return opened

    def _place(
        self, pipe: Pipe, gm: int | NDArray[Any], buffers: dict[str, int]
    ) -> list[tuple[Path, Protocol, int, list[Memory]]]:
        """For each half: its path, credit rules, base address and memories."""
        cluster = self.cluster
        memory = cluster.gm if isinstance(gm, int) else Memory.over(gm)
        base = gm if isinstance(gm, int) else 0
        placed = []
        for half in pipe.direction.halves:
            path = find_path(cluster.arch, pipe, half)
            rules = Protocol(
                cluster.protocol, pipe.slot_num, cluster.arch.name, isinstance(pipe, TMPipe)
            )
            if path.medium == "UB":
                vectors = [cluster.memory(n, TileType.Vec) for n in cluster.core_names[1:]]
                placed.append((path, rules, buffers[half], vectors))
            elif path.medium == "MAT":
                placed.append((path, rules, buffers[half], [cluster.memory("cube", TileType.Mat)]))
            elif path.medium == "CTRL" and cluster.arch.name == "a5":
                placed.append((path, rules, buffers[half], [cluster.control]))
            else:
                placed.append((path, rules, base, [memory]))
                if not isinstance(pipe, TPipe) or pipe.separate_rings:
                    base += pipe.slot_num * pipe.slot_size
        return placed

    def _check_new(self, ring: Ring) -> None:
        cluster, pipe = self.cluster, ring.pipe
        for memory in ring.memories:
            cluster.check_capacity(self.name, memory, ring.base, ring.nbytes, ring.name)
        if pipe.slot_num > cluster.flags.limit and not ring.protocol.tagged:
            text = (
                f"{ring.name}: SlotNum {pipe.slot_num} lets a ready counter pass "
                f"{cluster.flags.limit}"
            )
            cluster.findings.append(Finding("E5", "slot-num", text, self.name, ring.name))
        for rings in cluster.rings.values():
            for other in rings:
                shared = any(m in other.memories for m in ring.memories)
                apart = (
                    ring.base + ring.nbytes <= other.base or other.base + other.nbytes <= ring.base
                )
                live = (
                    any(other in core.live_rings() for core in cluster.cores) or other.pipe is pipe
                )
                if other is not ring and shared and not apart and live:
                    ring.overlaps.append(other)
                    other.overlaps.append(ring)

    def live_rings(self) -> list[Ring]:
        """Rings of the pipes this core has open."""
        return [end.ring for pipe in self.pipes for end in (pipe._prod, pipe._cons) if end]

    def _check_conflicts(self, pipe: Pipe, rings: list[Ring]) -> None:
        """No flag may belong to two live pipes, or to a pipe and a raw synchronisation (E2)."""
        mine = {flag for ring in rings for flag in ring.flags_used()}
        for core in self.cluster.cores:
            for other in core.pipes if core is not self else ():
                differs = _difference(pipe, other.config)
                if (
                    differs
                    and other.config.flag_id == pipe.flag_id
                    and other.config not in self._opened
                ):
                    raise PipeConfigError(
                        f"{self.name} and {core.name} declare "
                        f"{rings[0].name.split('.')[0]} differently: {differs}"
                    )
        for core in self.cluster.cores:
            for other in core.pipes:
                theirs = {
                    f for r in core.live_rings() if r.pipe is other.config for f in r.flags_used()
                }
                same = other.config == pipe and core is not self
                seen = other.config in self._opened and core is not self
                if mine & theirs and not same and not seen:
                    raise FlagConflictError(
                        f"{self.name}: flags {sorted(mine & theirs)} of {rings[0].name} belong "
                        f"to a live pipe of {core.name} (FlagID {other.config.flag_id})"
                    )
        if mine & self._raw_flags:
            raise FlagConflictError(
                f"{self.name}: flags {sorted(mine & self._raw_flags)} are already used by a raw "
                "synchronisation"
            )

    def forget(self, pipe: OpenPipe) -> None:
        """Called by a pipe that closes."""
        self.pipes.remove(pipe)

    # -- raw synchronisation

    def signal_flag(self, pipe: str, flag: int) -> None:
        """`ffts_cross_core_sync(pipe, mode 2, flag)` on A2/A3, `set_intra_block(pipe, flag)` on
        A5."""
        bank, arch = self.cluster.flags, self.cluster.arch
        local = self._own(flag)
        self.cluster.emit_sync(self.name, "SIGNAL", arch.signal, pipe, flag)
        if self.lane >= 0:
            bank.signal_cube(local, self.lane, pipe)
        else:
            bank.signal_vec(local, (flag // SUBBLOCK_ALIAS,), pipe)

    def wait_flag(self, pipe: str, flag: int) -> Steps:
        """`wait_flag_dev(flag)` on A2/A3, `wait_intra_block(pipe, flag)` on A5."""
        bank, arch = self.cluster.flags, self.cluster.arch
        local = self._own(flag)
        if self.lane >= 0:
            counter = bank.vec_waits(local, self.lane)[0]
        else:
            counter = (bank.cube, flag)
        pipe = "" if arch.reduces else pipe
        blocked, taken = (
            Step(self.name, "", "SYNC", phase, arch.wait, pipe, flag, 0)
            for phase in ("BLOCK", "WAIT")
        )
        self.waiting = ("SYNC", "WAIT", None, -1, Wait(counter, flag, pipe, blocked, taken))
        yield counter
        counter[0][counter[1]] -= 1
        self.waiting = None
        if self.traced:
            self.log((taken, -1, 0))

    def _own(self, flag: int) -> int:
        """Check a raw flag; returns its number on the Vector side."""
        top = IDS if self.cluster.arch.reduces or self.lane >= 0 else 2 * IDS
        if not 0 <= flag < top:
            raise FlagRangeError(f"{self.name}: flag {flag} is outside 0..{top - 1}")
        if flag // SUBBLOCK_ALIAS >= self.cluster.vec:
            raise ProfileError(f"{self.name}: flag {flag} is Vector core 1's; the cluster has one")
        for ring in self.live_rings():
            if flag % SUBBLOCK_ALIAS in ring.flags_used():
                if not self.cluster.raw_on_pipes:
                    raise FlagConflictError(f"{self.name}: flag {flag} belongs to a live pipe")
                ring.manual = True
                return flag % SUBBLOCK_ALIAS
        self._raw_flags.add(flag % SUBBLOCK_ALIAS)
        return flag % SUBBLOCK_ALIAS

    # -- reports

    def step(
        self, ring: Ring, op: str, phase: str, primitive: str = "", pipe: str = "", flag: int = -1
    ) -> Step:
        """What events of one kind share."""
        return Step(self.name, ring.name, op, phase, primitive, pipe, flag, ring.slot_num)

    def emit(
        self,
        ring: Ring,
        op: str,
        phase: str,
        primitive: str,
        pipe: str,
        flag: int,
        tile: int,
        nbytes: int,
    ) -> None:
        """Append an event to the trace."""
        if self.traced:
            self.log((self.step(ring, op, phase, primitive, pipe, flag), tile, nbytes))

    def hazard(
        self, error: type[HazardError], number: str, ring: Ring, tile: int, message: str
    ) -> None:
        """Report a hazard by its number in the docs."""
        finding = Finding(
            error.code,
            number,
            f"{self.locate()}{self.name} {ring.name}: {message} ({number})",
            self.name,
            ring.name,
            tile,
            tile % ring.slot_num,
            len(self.cluster.events),
        )
        if error is OverrunHazard and self.confirms_overruns:
            self.overrun = finding
            return
        self.cluster.report("hazard", finding, error)

    def breach(self, error: type[PtoError], ring: Ring, tile: int, message: str) -> None:
        """Report a disagreement of producer and consumer."""
        finding = Finding(
            error.code,
            error.__name__,
            f"{self.locate()}{self.name} {message}",
            self.name,
            ring.name,
            tile,
            tile % ring.slot_num,
            len(self.cluster.events),
        )
        self.cluster.report("hazard", finding, error)

    def check_awaited(self) -> None:
        """An operation that was called and never run is a forgotten `yield from`."""
        if self.unstarted:
            raise ProtocolOrderError(
                f"{self.name}: {self.unstarted} operation(s) were called but never awaited: write "
                "`yield from` before them"
            )


_NAMES = {
    "slot_size": "SlotSize", "slot_num": "SlotNum", "local_slot_num": "LocalSlotNum",
    "nosplit": "IsNoSplit", "depth": "FiFoDepth", "sync_t": "FiFoSyncT",
    "local_depth": "LocalFiFoDepth",
    "separate_rings": "separate_rings",
}  # fmt: skip


def _difference(mine: Pipe, theirs: Pipe) -> str:
    """What two declarations of one pipe disagree in; "" if they are the same."""
    if type(mine) is not type(theirs) or mine.direction is not theirs.direction:
        return ""
    return ", ".join(
        f"{shown} {getattr(mine, name)} and {getattr(theirs, name)}"
        for name, shown in _NAMES.items()
        if getattr(mine, name, None) != getattr(theirs, name, None)
    )


def _where(ring: Ring) -> list[int]:
    return [memory.where for memory in ring.memories]
