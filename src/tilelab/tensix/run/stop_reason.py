"""Why a run of a tile ended."""

from enum import StrEnum

from tilelab.sim.kernel import OK
from tilelab.tensix.run.rounds import STOP_CONDITION, STOP_IDLE


class StopReason(StrEnum):
    """Why :meth:`Tile.run` returned."""

    CONDITION = "condition met"
    IDLE = "nothing left to do"
    MAX_CYCLES = "cycle limit reached"


STOP_REASONS = {
    OK: StopReason.MAX_CYCLES,
    STOP_CONDITION: StopReason.CONDITION,
    STOP_IDLE: StopReason.IDLE,
}
