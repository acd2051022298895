"""A core as its program sees it: opening pipes, tile operations, and raw synchronisation."""

from collections.abc import Generator
from dataclasses import replace
from typing import Any

from numpy.typing import NDArray

from tilelab.pto.config import Pipe, TileType, TMPipe, TPipe
from tilelab.pto.end import Steps
from tilelab.pto.errors import (
    CapacityError,
    Finding,
    FlagConflictError,
    FlagRangeError,
    PipeConfigError,
    ProfileError,
    ProtocolOrderError,
)
from tilelab.pto.flags import IDS, SUBBLOCK_ALIAS, Counter
from tilelab.pto.memory import Memory
from tilelab.pto.ops import TileOps
from tilelab.pto.paths import Path, find_path
from tilelab.pto.pipe import Fifo, OpenPipe
from tilelab.pto.protocol import Protocol
from tilelab.pto.ring import Ring
from tilelab.pto.seat import Seat, Wait
from tilelab.pto.shared import Shared
from tilelab.pto.trace import Step


class Core(TileOps):
    """A core program's argument."""

    def __init__(self, cluster: Shared, name: str, lane: int, peers: list[Seat]) -> None:
        super().__init__(cluster, name, lane, peers)
        self.program: Generator[Counter | None, None, Any] = None  # type: ignore[assignment]
        self.awaited: Counter | None = None
        self.pipes: list[OpenPipe] = []  # all that it has opened
        self._opened: dict[Pipe, int] = {}
        self._raw_flags: set[int] = set()

    # -- pipes

    def open(
        self, pipe: TPipe, gm: int | NDArray[Any] = 0, c2v_buf: int = 0, v2c_buf: int = 0
    ) -> OpenPipe:
        """Construct a TPipe on this core: GM slot buffer (an address, or your own array), consumer
        buffers.

        The consumer's constructor sends the protocol's initial credits. Addresses that a path does
        not use are ignored, as on the hardware.
        """
        if not isinstance(pipe, TPipe):
            raise PipeConfigError("open() takes a TPipe; a TMPipe is opened by open_multi()")
        if depth := self.cluster.depth(pipe.flag_id):
            pipe = replace(pipe, slot_num=depth)
        buffers = {"C2V": c2v_buf, "V2C": v2c_buf}
        fifo = Fifo(gm if isinstance(gm, int) else 0, c2v_buf, v2c_buf)
        return self._open(pipe, gm, buffers, fifo)

    def open_multi(
        self, pipe: TMPipe, base: int | NDArray[Any] = 0, local_base: int = 0
    ) -> OpenPipe:
        """Construct a TMPipe: the FIFO's base (in GM, or the consumer's memory), the local base."""
        if not isinstance(pipe, TMPipe):
            raise PipeConfigError("open_multi() takes a TMPipe; a TPipe is opened by open()")
        if depth := self.cluster.depth(pipe.flag_id):
            pipe = replace(pipe, depth=depth)
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
        opened = OpenPipe(self, pipe, rings, fifo, buffers)
        self.pipes.append(opened)
        return opened

    def _place(
        self, pipe: Pipe, gm: int | NDArray[Any], buffers: dict[str, int]
    ) -> list[tuple[Path, Protocol, int, list[Memory]]]:
        """For each half: its path, credit rules, base address and memories."""
        cluster = self.cluster
        if cluster.depth(pipe.flag_id):
            gm = self._elsewhere(pipe)
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
            elif path.medium == "CTRL" and not path.control_in_gm:
                placed.append((path, rules, buffers[half], [cluster.control]))
            else:
                placed.append((path, rules, base, [memory]))
                if not isinstance(pipe, TPipe) or pipe.separate_rings:
                    base += pipe.slot_num * pipe.slot_size
        return placed

    def _elsewhere(self, pipe: Pipe) -> int:
        """Room in global memory for a pipe whose depth is not its own: the upper half has it."""
        cluster, key = self.cluster, (pipe, self._opened.get(pipe, 0))
        if key not in cluster.moved:
            sizes = [one.slot_num * one.slot_size for one, _ in cluster.moved]
            cluster.moved[key] = cluster.gm.capacity // 2 + 2 * sum(sizes)
        return cluster.moved[key]

    def _check_new(self, ring: Ring) -> None:
        cluster, pipe = self.cluster, ring.pipe
        for memory in ring.memories:
            cluster.check_capacity(self.name, memory, ring.base, ring.nbytes, ring.name)
        if pipe.slot_num > cluster.flags.limit and not ring.protocol.tagged:
            text = (
                f"{ring.name}: SlotNum {pipe.slot_num} lets a ready counter pass "
                f"{cluster.flags.limit}"
            )
            cluster.journal.findings.append(Finding("E5", "slot-num", text, self.name, ring.name))
        for rings in cluster.rings.values():
            for other in rings:
                shared = any(m in other.memories for m in ring.memories)
                apart = (
                    ring.base + ring.nbytes <= other.base or other.base + other.nbytes <= ring.base
                )
                live = any(other in core.live_rings() for core in self.peers) or other.pipe is pipe
                if other is not ring and shared and not apart and live:
                    ring.overlaps.append(other)
                    other.overlaps.append(ring)

    def _check_conflicts(self, pipe: Pipe, rings: list[Ring]) -> None:
        """No flag may belong to two live pipes, or to a pipe and a raw synchronisation (E2)."""
        mine = {flag for ring in rings for flag in ring.flags}
        others = [(core, config, theirs) for core in self.peers for config, theirs in core.live]
        for core, config, _ in others:
            differs = _difference(pipe, config) if core is not self else ""
            if differs and config.flag_id == pipe.flag_id and config not in self._opened:
                raise PipeConfigError(
                    f"{self.name} and {core.name} declare "
                    f"{rings[0].name.split('.')[0]} differently: {differs}"
                )
        for core, config, theirs in others:
            used = {flag for ring in theirs for flag in ring.flags}
            same = config == pipe and core is not self
            seen = config in self._opened and core is not self
            if mine & used and not same and not seen:
                raise FlagConflictError(
                    f"{self.name}: flags {sorted(mine & used)} of {rings[0].name} belong "
                    f"to a live pipe of {core.name} (FlagID {config.flag_id})"
                )
        if mine & self._raw_flags:
            raise FlagConflictError(
                f"{self.name}: flags {sorted(mine & self._raw_flags)} are already used by a raw "
                "synchronisation"
            )

    # -- raw synchronisation

    def signal_flag(self, pipe: str, flag: int) -> None:
        """``ffts_cross_core_sync(pipe, mode 2, flag)``; A5: ``set_intra_block(pipe, flag)``."""
        bank, arch = self.cluster.flags, self.cluster.arch
        local = self._own(flag)
        self.journal.sync(self.name, "SIGNAL", arch.signal, pipe, flag)
        if self.lane >= 0:
            bank.signal_cube(local, self.lane, pipe)
        else:
            bank.signal_vec(local, (flag // SUBBLOCK_ALIAS,), pipe)

    def wait_flag(self, pipe: str, flag: int) -> Steps:
        """``wait_flag_dev(flag)`` on A2/A3, ``wait_intra_block(pipe, flag)`` on A5."""
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
            if flag % SUBBLOCK_ALIAS in ring.flags:
                if not self.cluster.raw_on_pipes:
                    raise FlagConflictError(f"{self.name}: flag {flag} belongs to a live pipe")
                ring.manual = True
                return flag % SUBBLOCK_ALIAS
        self._raw_flags.add(flag % SUBBLOCK_ALIAS)
        return flag % SUBBLOCK_ALIAS

    def check_awaited(self) -> None:
        """An operation that was called and never run is a forgotten ``yield from``."""
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
