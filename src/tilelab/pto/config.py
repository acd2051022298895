"""TPipe and TMPipe: compile-time configurations of a ring FIFO, immutable; and the words they are
made of.

Sources: the page ``pto.tpop`` (the seed); pto-isa ``include/pto/common/fifo.hpp`` for the values.
"""

from dataclasses import dataclass, field
from enum import Enum, IntEnum
from typing import Any, Literal

import numpy as np
from numpy.typing import DTypeLike

from tilelab.pto.errors import FlagRangeError, PipeConfigError, TileTypeError

Half = Literal["C2V", "V2C"]


class Direction(IntEnum):
    """Which core produces, and over which storage. 5-7 exist on A5 only."""

    DIR_C2V = 1
    DIR_V2C = 2
    DIR_BOTH = 3
    DIR_V2C_CTRL = 4
    DIR_C2V_GM = 5
    DIR_V2C_GM = 6
    DIR_BOTH_GM = 7

    @property
    def halves(self) -> tuple[Half, ...]:
        """The one or two rings of the pipe."""
        if self in (Direction.DIR_BOTH, Direction.DIR_BOTH_GM):
            return ("C2V", "V2C")
        return ("C2V",) if self in (Direction.DIR_C2V, Direction.DIR_C2V_GM) else ("V2C",)

    @property
    def through_gm(self) -> "Direction":
        """The same way through global memory, as A5 has it beside the direct one."""
        gm = {1: Direction.DIR_C2V_GM, 2: Direction.DIR_V2C_GM, 3: Direction.DIR_BOTH_GM}
        return gm.get(self, self)


class FifoType(IntEnum):
    """Where a TMPipe's slots live."""

    GM_FIFO = 0
    VEC_FIFO = 1
    MAT_FIFO = 2
    CTRL_FIFO = 3


class TileSplitAxis(IntEnum):
    """How one slot is divided between the two Vector cores; chosen per call."""

    TILE_NO_SPLIT = 0
    TILE_UP_DOWN = 1
    TILE_LEFT_RIGHT = 2
    TILE_UP_DOWN_ODD = 3
    TILE_LEFT_RIGHT_ODD = 4


NO_SPLIT = TileSplitAxis.TILE_NO_SPLIT


class VecCubeRatio(IntEnum):
    """Which Vector cores take part in a TMPipe."""

    V1C1_VEC0 = 0
    V1C1_VEC1 = 1
    V2C1_VECS = 2


class TileType(Enum):
    """The place of a tile: ``value`` is the memory that backs it."""

    Vec = "UB"
    Mat = "L1"
    Acc = "L0C"
    Left = "L0A"
    Right = "L0B"
    Bias = "BT"
    Scaling = "FB"
    Ctrl = "CTRL"


@dataclass(frozen=True)
class TileSpec:
    """The type of a tile: place, element type, rows and columns."""

    loc: TileType
    dtype: np.dtype[Any]
    rows: int
    cols: int

    def __init__(self, loc: TileType, dtype: DTypeLike, rows: int, cols: int) -> None:
        object.__setattr__(self, "loc", loc)
        object.__setattr__(self, "dtype", np.dtype(dtype))
        object.__setattr__(self, "rows", rows)
        object.__setattr__(self, "cols", cols)
        if rows < 1 or cols < 1:
            raise PipeConfigError(f"a tile needs at least one row and column, got {rows}x{cols}")

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return self.rows, self.cols

    @property
    def nbytes(self) -> int:
        """Bytes of the whole tile."""
        return self.rows * self.cols * self.dtype.itemsize


MOST_SLOTS = 4096  # far beyond any memory: a ring of more is a slip of the pen
MOST_BYTES = 1 << 30


def _check_number(name: str, value: object, low: int, high: int) -> None:
    if not isinstance(value, int | np.integer) or isinstance(value, bool):
        raise PipeConfigError(f"{name} must be a whole number, got {value!r}")
    if not low <= value <= high:
        bound = {0: "must not be negative", 1: "must be at least 1"}[low]
        raise PipeConfigError(
            f"{name} {bound if value < low else f'can be at most {high}'}, got {value}"
        )


def _check_flags(flag_id: int, span: int) -> None:
    if not isinstance(flag_id, int | np.integer) or isinstance(flag_id, bool):
        raise FlagRangeError(f"FlagID must be a whole number, got {flag_id!r}")
    if flag_id < 0 or flag_id + span - 1 > 15:
        raise FlagRangeError(
            f"FlagID {flag_id} needs flags {flag_id}..{flag_id + span - 1}; the hardware has 0..15"
        )


@dataclass(frozen=True)
class TPipe:
    """A ring FIFO between the Cube core and the Vector cores.

    ``slot_size`` is bytes of a slot (the whole tile before splitting; on A5's UB path the part of
    one Vector core is enough), ``slot_num`` the depth, ``local_slot_num`` the landing ring of GM
    paths (0: tiles keep their own storage). ``nosplit`` says that only sub-block 0 takes part (A5).
    ``separate_rings=False`` puts both rings of a DIR_BOTH pipe on the same bytes, the defect of
    pto-isa #226.
    """

    flag_id: int
    direction: Direction
    slot_size: int
    slot_num: int
    local_slot_num: int = 2
    nosplit: bool = False
    unit_flag: bool = False
    separate_rings: bool = True

    def __post_init__(self) -> None:
        try:
            object.__setattr__(self, "direction", Direction(self.direction))
        except ValueError:
            raise PipeConfigError(f"no direction {self.direction!r}") from None
        _check_flags(self.flag_id, 2 * len(self.direction.halves))
        _check_number("SlotNum", self.slot_num, 1, MOST_SLOTS)
        _check_number("SlotSize", self.slot_size, 1, MOST_BYTES)
        _check_number("LocalSlotNum", self.local_slot_num, 0, MOST_SLOTS)


@dataclass(frozen=True)
class TMPipe:
    """The multi-pipe variant: FIFO type and depth chosen freely, tile types part of the
    configuration.

    ``sync_t`` is FiFoSyncT, a number that kernels read and the pipe itself does not use.
    """

    flag_id: int
    fifo: FifoType
    depth: int
    sync_t: int
    prod: TileSpec
    cons: TileSpec
    unit_flag: bool = False
    local_depth: int = 2
    ratio: VecCubeRatio = VecCubeRatio.V2C1_VECS
    direction: Direction = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "fifo", FifoType(self.fifo))
        object.__setattr__(self, "ratio", VecCubeRatio(self.ratio))
        _check_flags(self.flag_id, 2)
        _check_number("FiFoDepth", self.depth, 1, MOST_SLOTS)
        _check_number("FiFoSyncT", self.sync_t, 1, MOST_SLOTS)
        _check_number("LocalFiFoDepth", self.local_depth, 0, MOST_SLOTS)
        object.__setattr__(self, "direction", self._direction())
        self._check_shapes()

    def _direction(self) -> Direction:
        pair = (self.prod.loc, self.cons.loc)
        known = {
            (FifoType.GM_FIFO, TileType.Acc, TileType.Vec): Direction.DIR_C2V_GM,
            (FifoType.VEC_FIFO, TileType.Acc, TileType.Vec): Direction.DIR_C2V,
            (FifoType.GM_FIFO, TileType.Vec, TileType.Mat): Direction.DIR_V2C_GM,
            (FifoType.MAT_FIFO, TileType.Vec, TileType.Mat): Direction.DIR_V2C,
            (FifoType.CTRL_FIFO, TileType.Vec, TileType.Ctrl): Direction.DIR_V2C_CTRL,
        }
        direction = known.get((self.fifo, *pair))
        if direction is None:
            raise TileTypeError(
                f"TMPipe {self.fifo.name} cannot carry {pair[0].name} tiles to {pair[1].name} tiles"
            )
        return direction

    def _check_shapes(self) -> None:
        prod, cons = self.prod, self.cons
        if self.fifo is FifoType.CTRL_FIFO:
            return
        if prod.dtype != cons.dtype:
            raise PipeConfigError(f"producer {prod.dtype} and consumer {cons.dtype} tiles differ")
        if self.fifo is FifoType.GM_FIFO:
            wide, narrow = (cons, prod) if cons.loc is TileType.Vec else (prod, cons)
            if wide.cols % narrow.cols:
                raise PipeConfigError(
                    f"the Vector tile's {wide.cols} columns are no multiple of {narrow.cols}"
                )
            return
        lanes = 2 if self.ratio is VecCubeRatio.V2C1_VECS else 1
        vec, cube = (cons, prod) if self.fifo is FifoType.VEC_FIFO else (prod, cons)
        rows_ok = vec.rows * lanes == cube.rows and vec.cols == cube.cols
        cols_ok = vec.rows == cube.rows and vec.cols * lanes == cube.cols
        if not (rows_ok or cols_ok):
            raise PipeConfigError(
                f"{lanes} Vector tile(s) of {vec.rows}x{vec.cols} do not make "
                f"{cube.rows}x{cube.cols}"
            )

    @property
    def slot_num(self) -> int:
        """The depth, by its TPipe name."""
        return self.depth

    @property
    def local_slot_num(self) -> int:
        """The local depth, by its TPipe name; only GM FIFOs have a local ring."""
        return self.local_depth if self.fifo is FifoType.GM_FIFO else 0

    @property
    def nosplit(self) -> bool:
        """Whether a single Vector core takes part."""
        return self.ratio is not VecCubeRatio.V2C1_VECS

    @property
    def slot_size(self) -> int:
        """Bytes from one slot to the next (pto-isa's entry stride; 4 for control words)."""
        prod, cons, size = self.prod, self.cons, self.prod.dtype.itemsize
        if self.fifo is FifoType.CTRL_FIFO:
            return 4
        if self.direction is Direction.DIR_C2V_GM:
            return prod.rows * cons.cols * size
        if self.direction is Direction.DIR_V2C_GM:
            return cons.rows * prod.cols * size
        return cons.rows * cons.cols * size


Pipe = TPipe | TMPipe
