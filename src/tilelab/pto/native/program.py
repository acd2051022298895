"""A compiled kernel as core programs: the engine waits, signals and watches; C++ moves bytes."""

from collections.abc import Generator
from typing import Any

import numpy as np

from tilelab.pto.cluster import Cluster
from tilelab.pto.config import (
    Direction,
    FifoType,
    TileSpec,
    TileSplitAxis,
    TileType,
    TMPipe,
    TPipe,
    VecCubeRatio,
)
from tilelab.pto.core import Core
from tilelab.pto.end import Steps
from tilelab.pto.errors import OverrunHazard
from tilelab.pto.memory import Memory
from tilelab.pto.native import machine as mc
from tilelab.pto.native.checker import Checker, OrderedFlags
from tilelab.pto.native.machine import Entry, Machine
from tilelab.pto.native.work import Moved
from tilelab.pto.order import Mail
from tilelab.pto.pipe import OpenPipe
from tilelab.pto.pipes import PIPE_T, PLACES
from tilelab.pto.tile import GlobalTensor, Tile
from tilelab.sim.errors import AssertionFailureError, TilelabError, UnimplementedFunctionalityError

# pto-isa's enum class TileType, in its order.
_TYPES = (
    TileType.Vec, TileType.Mat, TileType.Left, TileType.Right, TileType.Acc,
    TileType.Vec, TileType.Vec, TileType.Left, TileType.Right, TileType.Ctrl,
)  # fmt: skip
_KINDS = "iuf"
_SPACE = 1 << 62
ALLOCATE, RECORD = 1, 2  # bits of a push's status
WAIT, FREE = 1, 2  # and of a pop's
DROP = 256  # the whole operation


def element_type(size: int, kind: int) -> np.dtype[Any]:
    """The NumPy type of the same size; bfloat16 is its bits."""
    return (
        np.dtype(f"u{size}")
        if kind > 2 or (kind == 2 and size < 2)
        else np.dtype(f"{_KINDS[kind]}{size}")
    )


class NativeTile(Tile):
    """A tile whose bytes the compiled kernel holds."""

    __slots__ = ()

    def __init__(
        self, loc: TileType, dtype: np.dtype[Any], shape: tuple[int, int], valid: tuple[int, int]
    ) -> None:
        self.loc, self.dtype, self.shape = loc, dtype, shape
        self.geometry = (*valid, *shape, dtype.num)
        self.address = None
        self.lease = None
        self.move = None


class NativeTensor(GlobalTensor):
    """A GlobalTensor that the kernel binds itself."""

    def bind(self, data: Any, address: int | None = None, lease: Any = None) -> None:
        """Only the address is kept."""
        self.address = address


class NativeGm(Memory):
    """Global memory at the process's own addresses."""

    def __init__(self) -> None:
        super().__init__("GM", _SPACE, _SPACE)

    def window(self, address: int, dtype: Any, rows: int, cols: int, row_stride: int) -> Any:
        """Nothing is viewed from Python."""
        return None


class NativeCore:
    """One core's program: asks the machine for its next stop and does what it asks."""

    def __init__(
        self, machine: Machine, checker: Checker, number: int, entry: int, argument: int
    ) -> None:
        self.machine = machine
        self.checker = checker
        self.number = number
        self.entry = entry
        self.argument = argument
        self.pipes: list[OpenPipe] = []
        self.core: Core = None  # type: ignore[assignment]
        self.request: Entry | None = None

    def program(self, core: Core) -> Generator[Any, None, None]:
        """The core program."""
        self.core = core
        core.confirms_overruns = True
        core.locate = self.where
        self.machine.begin(self.number, self.entry, self.argument)
        reply = 0
        while True:
            request = self._next(reply)
            if request is None:
                return
            reply = yield from self._do(request)

    def _next(self, reply: int) -> Entry | None:
        entries, alive = self.machine.resume(self.number, reply)
        request = self.checker.read(self.number, entries)
        if request is None and alive:
            raise AssertionFailureError(f"{self.core.name} stopped without a request")
        return request

    def where(self) -> str:
        """The kernel's line that this core is at."""
        request = self.request
        return self.checker.lines.find(self.number, request.where) if request else ""

    def _do(self, request: Entry) -> Generator[Any, None, int]:
        self.request = request
        kind, words = request.kind, request.words
        change = self.checker.change(self.number, request)
        if change == DROP:
            return 0
        if change:
            words = (*words[:2], words[2] & ~change, *words[3:])
        try:
            if kind == mc.OPEN:
                return self._open(words)
            if kind in (mc.RAW_WAIT, mc.RAW_SIGNAL):
                yield from self._raw(kind, words)
            elif kind == mc.SYNC_ALL:
                raise UnimplementedFunctionalityError(
                    "SYNCALL is not modelled: it joins all blocks of a launch"
                )
            else:
                pipe = self.pipes[words[0]]
                yield from self._taking(self._pipe_steps(kind, pipe, words))
        except TilelabError as error:
            error.summary = self._located(request, error.summary)
            raise
        return 0

    def _located(self, request: Entry, text: str) -> str:
        where = self.checker.lines.find(self.number, request.where)
        return text if not where or text.startswith(where) else f"{where}{text}"

    def _taking(self, steps: Steps) -> Steps:
        """Run an operation; each wait that is over hands on what its signal knew."""
        flags = self.core.cluster.flags
        assert isinstance(flags, OrderedFlags)
        for awaited in steps:
            waiting = self.core.waiting
            yield awaited
            if awaited is not None:
                flags.taken(self.number, awaited, waiting[4].pipe if waiting else "")

    # -- pipes

    def _open(self, words: tuple[int, ...]) -> int:
        if words[0]:
            return self._open_multi(words[1:])
        flag, direction, size, slots, local, nosplit, gm, c2v, v2c = words[1:10]
        config = TPipe(flag, Direction(direction), size, slots, local, bool(nosplit))
        self.pipes.append(self.core.open(config, gm, self._offset(c2v), self._offset(v2c)))
        return len(self.pipes) - 1

    def _open_multi(self, words: tuple[int, ...]) -> int:
        flag, fifo, depth, sync, local, ratio, base, landing, unit = words[:9]
        prod, cons = (
            TileSpec(_TYPES[loc], element_type(size, kind), rows, cols)
            for loc, rows, cols, size, kind in (words[9:14], words[14:19])
        )
        kind = FifoType(fifo)
        config = TMPipe(
            flag, kind, depth, max(sync, 1), prod, cons, bool(unit), local, VecCubeRatio(ratio)
        )
        at = base if kind is FifoType.GM_FIFO else self._offset(base)
        self.pipes.append(self.core.open_multi(config, at, self._offset(landing)))
        return len(self.pipes) - 1

    def _offset(self, address: int) -> int:
        """A local address as the hardware has it: kernels may pass the host's pointer."""
        first = self.machine.place(-1, 0)
        inside = address - first
        if 0 <= inside < 3 * len(PLACES) * self.machine.place_bytes:
            return int(inside % self.machine.place_bytes)
        return address

    def _pipe_steps(self, kind: int, pipe: OpenPipe, words: tuple[int, ...]) -> Steps:
        if kind == mc.CLOSE:
            if pipe.producer is not None:
                # A5's TMPipe does not count by itself: there it is the last tile that was pushed.
                pipe.producer.tile_index = max(words[1], pipe.producer.tile_index)
            return pipe.close()
        if kind in (mc.PUSH, mc.ALLOC):
            prod = pipe.prod
            prod.tile_index, status, prod.entry_offset = words[1:4]
            prod.is_allocate, prod.is_record = bool(status & 1), bool(status & 2)
        elif kind in (mc.POP, mc.POP_GLOBAL, mc.FREE, mc.FREE_GLOBAL):
            cons = pipe.cons
            if kind in (mc.POP, mc.POP_GLOBAL) or not cons.protocol.tagged:
                cons.tile_index = words[1]
            status, cons.entry_offset = words[2:4]
            cons.is_wait, cons.is_free = bool(status & 1), bool(status & 2)
        self._effects(kind, pipe)
        if kind in (mc.PUSH, mc.POP):
            return self._move(kind, pipe, words)
        if kind in (mc.ALLOC, mc.POP_GLOBAL):
            split = TileSplitAxis(words[4])
            tensor = NativeTensor(element_type(words[5], words[6]), *words[7:10])
            return pipe.talloc(tensor, split) if kind == mc.ALLOC else pipe.tpop(tensor, split)
        if kind == mc.PUSH_GLOBAL:
            return pipe.tpush(NativeTensor(np.uint8, 1, 1), TileSplitAxis(words[1]))
        if kind == mc.FREE:
            return pipe.tfree(None, TileSplitAxis(words[4]))
        if kind == mc.FREE_GLOBAL:
            return pipe.tfree(NativeTensor(np.uint8, 1, 1), TileSplitAxis(words[4]))
        raise AssertionFailureError(f"unknown request {kind}")

    def _effects(self, kind: int, pipe: OpenPipe) -> None:
        """Remember which phases wait or signal here: bits of the status, or DROP for all."""
        assert self.request is not None
        effects = 0
        if kind in (mc.PUSH, mc.ALLOC):
            prod = pipe.prod
            waits = prod.is_allocate and (prod.every or prod.protocol.waits_free(prod.tile_index))
            effects = waits * ALLOCATE | (kind == mc.PUSH and prod.is_record) * RECORD
        elif kind in (mc.POP, mc.POP_GLOBAL, mc.FREE, mc.FREE_GLOBAL):
            cons, rules = pipe.cons, pipe.cons.protocol
            newest = cons.tile_index - (kind in (mc.FREE, mc.FREE_GLOBAL))
            signals = cons.is_free and (cons.every or rules.signals_free(max(newest, 0)))
            if kind == mc.POP:
                effects = cons.is_wait * WAIT
                effects |= (signals and rules.pop_frees(cons.ring.path.late_free)) * FREE
            elif kind != mc.POP_GLOBAL and (kind == mc.FREE_GLOBAL or rules.tfree_frees()):
                effects = signals * DROP
        elif kind == mc.PUSH_GLOBAL:
            effects = DROP
        site = self.checker.site(self.number, self.request.where)
        self.checker.sites[site].effects |= effects

    def _move(self, kind: int, pipe: OpenPipe, words: tuple[int, ...]) -> Steps:
        split, lane, loc, size, element, rows, cols, full_rows, full_cols = words[4:13]
        dtype = element_type(size, element)
        tile = NativeTile(_TYPES[loc], dtype, (full_rows, full_cols), (rows, cols))
        if isinstance(pipe.config, TMPipe) and tile.dtype.itemsize != size:
            raise AssertionFailureError("element sizes differ")
        nbytes = rows * cols * size
        subblock = None if lane < 0 else lane
        self.checker.moved[self.number] = Moved(rows, cols, size, dtype.kind)
        axis = TileSplitAxis(split)
        if kind == mc.POP:
            tile.move = lambda: self._landed(pipe, words[1], nbytes)
            return pipe.tpop(tile, axis, subblock)
        tile.move = lambda: self._pushed(pipe, words[1], axis, nbytes)
        return pipe.tpush(tile, axis, subblock)

    def _moved(self, nbytes: int) -> int:
        request = self._next(0)
        if request is None or request.kind != mc.MOVED:
            raise AssertionFailureError(f"{self.core.name} ended inside a TPUSH or TPOP")
        return nbytes

    def _landed(self, pipe: OpenPipe, index: int, nbytes: int) -> int:
        self.checker.landing[self.number] = (pipe.cons.ring.name, index)
        try:
            return self._moved(nbytes)
        finally:
            del self.checker.landing[self.number]

    def _pushed(self, pipe: OpenPipe, index: int, split: TileSplitAxis, nbytes: int) -> int:
        prod, checker = pipe.prod, self.checker
        ring = prod.ring
        slot = ring.slots[index % ring.slot_num]
        twice = (
            slot.writers != 1 << prod.lane and prod.shares_bytes(split) and ring.path.medium == "GM"
        )
        address = ring.base + index % ring.slot_num * ring.stride + prod.entry_offset
        before = self.machine.bytes_at(address, min(nbytes, ring.stride)) if twice else b""
        checker.payload[self.number] = (ring.name, index)
        overrun, self.core.overrun, clashes = self.core.overrun, None, checker.clashes
        if overrun is not None:
            checker.overruns.add(self.number)
        try:
            moved = self._moved(nbytes)
        finally:
            checker.payload.pop(self.number, None)
            checker.overruns.discard(self.number)
        if overrun is not None and checker.clashes > clashes:
            self.core.journal.report("hazard", overrun, OverrunHazard)
        if twice and self.machine.bytes_at(address, len(before)) != before:
            prod.conflict(index)
        return moved

    # -- raw synchronisation

    def _raw(self, kind: int, words: tuple[int, ...]) -> Steps:
        pipe = PIPE_T[words[0]]
        if kind == mc.RAW_WAIT:
            yield from self._taking(self.core.wait_flag(pipe, words[1]))
            return
        if words[2] != 2:
            raise UnimplementedFunctionalityError(
                f"ffts_cross_core_sync in mode {words[2]} is not modelled"
            )
        self.core.signal_flag(pipe, words[1])


def prepare(cluster: Cluster, checker: Checker) -> None:
    """Give a cluster the flags that carry clocks, and memory at the process's addresses."""
    limit = (1 << cluster.flag_bits) - 1
    flags = OrderedFlags(cluster.arch.reduces, cluster.vec, limit, cluster.overflow)
    flags.order = checker.order
    flags.mail = Mail(cluster.arch.reduces, cluster.vec)
    cluster.flags = flags
    cluster.gm = NativeGm()
    cluster.raw_on_pipes = True
