"""TPUSH, TPOP and TFREE over ring FIFOs between Cube and Vector cores.

    from tilelab.pto import Cluster, Direction, Tile, TileType, TPipe

See ``docs/pto.md``.
"""

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
from tilelab.pto.errors import Finding, HazardError
from tilelab.pto.fixpipe import Fixpipe
from tilelab.pto.pipe import OpenPipe, talloc, tfree, tpop, tpush
from tilelab.pto.tile import GlobalTensor, Tile
from tilelab.pto.trace import Event, Result
from tilelab.sim.errors import DeadlockError, TilelabError
from tilelab.sim.renamed import renamed

__getattr__ = renamed(__name__, {"PtoError": TilelabError})

__all__ = [
    "Cluster",
    "Core",
    "DeadlockError",
    "Direction",
    "Event",
    "FifoType",
    "Finding",
    "Fixpipe",
    "GlobalTensor",
    "HazardError",
    "OpenPipe",
    "Result",
    "TMPipe",
    "TPipe",
    "Tile",
    "TileSpec",
    "TileSplitAxis",
    "TileType",
    "VecCubeRatio",
    "talloc",
    "tfree",
    "tpop",
    "tpush",
]
