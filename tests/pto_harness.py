"""Small PTO programs that many tests run: a stream of numbered tiles through one pipe."""

from __future__ import annotations

import io
import sys
import warnings
from contextlib import redirect_stderr, redirect_stdout
from typing import Any, NamedTuple

import numpy as np

from tilelab.cli.main import main
from tilelab.pto import (
    Cluster,
    Direction,
    FifoType,
    Result,
    Tile,
    TileSpec,
    TileSplitAxis,
    TileType,
    TMPipe,
    TPipe,
    VecCubeRatio,
    tpop,
    tpush,
)
from tilelab.pto.paths import find_arch, find_path
from tilelab.pto.protocol import Protocol

NO_SPLIT = TileSplitAxis.TILE_NO_SPLIT
UP_DOWN = TileSplitAxis.TILE_UP_DOWN
LEFT_RIGHT = TileSplitAxis.TILE_LEFT_RIGHT
GM, C2V_BUF, V2C_BUF = 0x10000, 0x8000, 0x9000
ROWS, COLS = 8, 32


class Called(NamedTuple):
    """What a command did."""

    exit_code: int
    stdout: str
    stderr: str

    @property
    def output(self) -> str:
        return self.stdout + self.stderr


def pto(*arguments: object, stdin: str | None = None) -> Called:
    """``tilelab pto`` with these arguments."""
    out, err, before = io.StringIO(), io.StringIO(), sys.stdin
    sys.stdin = io.TextIOWrapper(io.BytesIO((stdin or "").encode()), encoding="utf-8")
    try:
        with redirect_stdout(out), redirect_stderr(err):
            code = main(["pto", *map(str, arguments)])
    finally:
        sys.stdin = before
    return Called(code, out.getvalue(), err.getvalue())


def pattern(tile: int, rows: int = ROWS, cols: int = COLS, dtype: Any = np.float32) -> np.ndarray:
    """The contents of a numbered tile: no two elements of a run are alike."""
    values = np.arange(rows * cols).reshape(rows, cols) + 1 + tile * rows * cols
    return values.astype(dtype)


def part(whole: np.ndarray, split: TileSplitAxis, lane: int) -> np.ndarray:
    """Sub-block `lane`'s half."""
    if split == UP_DOWN:
        return np.vsplit(whole, 2)[lane]
    if split == LEFT_RIGHT:
        return np.hsplit(whole, 2)[lane]
    return whole


def open_pipe(core: Any, pipe: Any) -> Any:
    return core.open(pipe, GM, C2V_BUF, V2C_BUF)


class Stream:
    """Push `pushes` numbered tiles and pop `pops`; `got[core]` holds what was popped, in order."""

    def __init__(
        self,
        arch: str = "a2a3",
        direction: Direction = Direction.DIR_C2V,
        slots: int = 4,
        pushes: int = 10,
        pops: int | None = None,
        split: TileSplitAxis = NO_SPLIT,
        vec: int = 2,
        protocol: str = "seed",
        local: int = 2,
        prod: Any = None,
        cons: Any = None,
        tfree: bool | None = None,
        flag: int = 0,
        nosplit: bool | None = None,
        **cluster: Any,
    ) -> None:
        self.arch, self.direction, self.split = arch, Direction(direction), split
        self.pushes, self.pops = pushes, pushes if pops is None else pops
        self.prod, self.cons = prod, cons
        alone = arch == "a5" and split == NO_SPLIT if nosplit is None else nosplit
        ctrl = self.direction is Direction.DIR_V2C_CTRL
        self.pipe = TPipe(flag, direction, 4 if ctrl else ROWS * COLS * 4, slots, local, alone)
        self.cluster = Cluster(arch, vec=vec, protocol=protocol, gm_bytes=1 << 21, **cluster)
        self.lanes = (0,) if alone else tuple(range(vec))
        half = self.direction.halves[0]
        late = find_path(find_arch(arch), self.pipe, half).late_free
        rules = Protocol(protocol, slots, arch)
        self.tfree = (not rules.pop_frees(late) and rules.tfree_frees()) if tfree is None else tfree
        self.half, self.ctrl = half, ctrl
        self.got: dict[str, list[Any]] = {}

    def producer(self, core: Any) -> Any:
        pipe = open_pipe(core, self.pipe)
        if self.prod:
            self.prod(pipe)
        loc = TileType.Acc if self.half == "C2V" else TileType.Vec
        for index in range(self.pushes):
            if self.ctrl:
                data = np.array([[index + 1]], np.uint32)
            else:
                data = pattern(index)
                data = data if self.half == "C2V" else part(data, self.split, core.subblock)
            yield from pipe.tpush(Tile(loc, data.dtype, *data.shape, data=data), self.split)

    def consumer(self, core: Any) -> Any:
        pipe = open_pipe(core, self.pipe)
        if self.cons:
            self.cons(pipe)
        got = self.got.setdefault(core.name, [])
        loc = TileType.Vec if self.half == "C2V" else TileType.Mat
        shape = part(pattern(0), self.split if self.half == "C2V" else NO_SPLIT, 0).shape
        tile = Tile(TileType.Ctrl, np.uint32, 1, 1) if self.ctrl else Tile(loc, np.float32, *shape)
        for _ in range(self.pops):
            yield from pipe.tpop(tile, self.split)
            got.append(pipe.fifo.ctrl_signal if self.ctrl else tile.data.copy())
            if self.tfree:
                yield from pipe.tfree(split=self.split)

    def run(self, schedule: Any = "rr", lanes: tuple[int, ...] | None = None) -> Result:
        lanes = self.lanes if lanes is None else lanes
        cube, vec = (
            (self.producer, self.consumer) if self.half == "C2V" else (self.consumer, self.producer)
        )
        programs = [vec if lane in lanes else None for lane in range(self.cluster.vec)]
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            return self.cluster.run(cube, programs, schedule)

    def check(self) -> None:
        """Every tile arrived once, in order, with its own contents."""
        for name, tiles in self.got.items():
            assert len(tiles) == self.pops
            for index, tile in enumerate(tiles):
                if self.ctrl:
                    assert tile == index + 1
                elif self.half == "C2V":
                    lane = int(name[-1])
                    np.testing.assert_array_equal(tile, part(pattern(index), self.split, lane))
                else:
                    np.testing.assert_array_equal(tile, pattern(index))
        assert self.got


def phases(result: Result, core: str, op: str, tile: int) -> list[str]:
    """The phases of one operation in order; A5's two primitives of one phase count once."""
    found = [e.phase for e in result.events(core=core, op=op, tile=tile) if e.phase != "BLOCK"]
    return [phase for i, phase in enumerate(found) if i == 0 or found[i - 1] != phase]


def call(result: Result, **wanted: Any) -> set[tuple[str, str, int]]:
    """The (primitive, pipe, flag) of matching events."""
    return {(e.primitive, e.pipe, e.flag) for e in result.events(**wanted)}


def multi(fifo=FifoType.GM_FIFO, depth=3, local=2, prod=None, cons=None, ratio=2, flag=4):
    prod = prod or TileSpec(TileType.Acc, np.float32, 8, 16)
    cons = cons or TileSpec(TileType.Vec, np.float32, 8, 16)
    return TMPipe(flag, fifo, depth, 1, prod, cons, False, local, VecCubeRatio(ratio))


def run_multi(pipe, arch="a2a3", count=7, vec=2, base=0x8000, local=0x20000, **options):
    """Push and pop `count` numbered tiles; returns (result, {core: [data]}, {core: [address]})."""
    got, addresses = {}, {}
    halves = {TileType.Acc: 1, TileType.Vec: 2}

    def producer(core):
        open_ = core.open_multi(pipe, base, local)
        for index in range(count):
            data = pattern(
                index * halves[pipe.prod.loc] + core.subblock, pipe.prod.rows, pipe.prod.cols
            )
            yield from tpush(Tile.of(pipe.prod, data % 2039), open_)  # exact in f16

    def consumer(core):
        open_ = core.open_multi(pipe, base, local)
        for _ in range(count):
            tile = Tile.of(pipe.cons)
            yield from tpop(tile, open_)
            got.setdefault(core.name, []).append(tile.data.copy())
            addresses.setdefault(core.name, []).append(tile.address)

    c2v = pipe.prod.loc is TileType.Acc
    cube, vector = (producer, consumer) if c2v else (consumer, producer)
    result = Cluster(arch, vec=vec, gm_bytes=1 << 20, **options).run(cube, vector)
    return result, got, addresses


def run_ctrl(pipe):
    got = []

    def vec(core):
        open_ = core.open_multi(pipe, 0x100)
        for word in (5, 6, 7):
            yield from tpush(Tile.of(pipe.prod, [[word]]), open_)

    def cube(core):
        open_ = core.open_multi(pipe, 0x100)
        for _ in range(3):
            yield from tpop(Tile.of(pipe.cons), open_)
            got.append(open_.fifo.ctrlSignal)

    Cluster("a5").run(cube, vec)
    return got
