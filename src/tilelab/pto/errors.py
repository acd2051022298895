"""What can be wrong with a PTO program: errors (E1-E17) and hazards (H1-H18).

An *error* is raised. A *hazard* is something the hardware would do in silence; the cluster's policy
decides whether it is raised, warned of or only recorded as a ``Finding``. Every exception has
``summary`` (one line) and ``detail`` (the rest). ``BadInputError`` marks what is known before a
program runs.
"""

from dataclasses import dataclass
from typing import Any, ClassVar

from tilelab.sim.errors import BadInputError, TilelabError


class PtoError(TilelabError):
    """Root of the family, within tilelab's own; ``code`` is its number in the docs."""

    code: ClassVar[str] = ""

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickled with whatever it carries: runs of compiled kernels cross a process."""
        return _again, (type(self), dict(self.__dict__))


def _again(kind: type[PtoError], state: dict[str, Any]) -> PtoError:
    error = kind.__new__(kind)
    Exception.__init__(error, state["summary"])
    error.__dict__.update(state)
    return error


class BadInput(PtoError, BadInputError):  # noqa: N818
    """Known before anything runs: a configuration, an option, a source text."""


class FlagRangeError(BadInput):
    """A flag id outside the hardware's ids."""

    code = "E1"


class FlagConflictError(BadInput):
    """A flag id that another live pipe or synchronisation owns."""

    code = "E2"


class ProfileError(BadInput):
    """A direction, FIFO type or primitive that the architecture does not have."""

    code = "E3"


class TileTypeError(BadInput):
    """A tile in a place the operation does not take."""

    code = "E4"


class CoreRoleError(BadInput):
    """A core executing the other core's half of the protocol."""

    code = "E4"


class PipeConfigError(BadInput):
    """A TPipe or TMPipe parameter outside its range."""

    code = "E5"


class SlotOverflowError(PtoError):
    """A tile that does not fit its slot."""

    code = "E6"


class CapacityError(PtoError):
    """A ring or tile outside its memory."""

    code = "E6"


class SplitConstraintError(PtoError):
    """A split the path, the tile's alignment or the pipe cannot do."""

    code = "E7"


class SplitMismatchError(PtoError):
    """Producer and consumer of one slot split it differently."""

    code = "E8"


class ShapeMismatchError(PtoError):
    """Producer and consumer of one slot disagree about shape or element type."""

    code = "E8"


class DeadlockError(PtoError):
    """No core can run. ``report``: the wait-for graph, each core's operation, the likely cause."""

    code = "E9"

    def __init__(self, summary: str, detail: str, report: object) -> None:
        super().__init__(summary, detail)
        self.report = report


class DrainDeadlock(DeadlockError):  # noqa: N818
    """The deadlock is in the teardown: credits that never come back."""

    code = "E15"


class DoubleFreeError(PtoError):
    """A free of a slot that is not held."""

    code = "E13"


class FlagOverflowError(PtoError):
    """A flag counter beyond its width."""

    code = "E14"


class ProtocolOrderError(PtoError):
    """TPUSH(GlobalTensor) without TALLOC, TFREE without TPOP, an operation that was never awaited."""

    code = "E16"


class ProfileUnsupported(BadInput):
    """The CPU profile, on which the seed says TPUSH and TPOP do not exist."""

    code = "E17"


class StepLimitError(PtoError):
    """The program did not end within ``max_steps`` scheduling steps."""


class IRError(BadInput):
    """A source text that is not in the supported subset; ``line`` is 1-based."""

    def __init__(self, summary: str, line: int = 0) -> None:
        super().__init__(f"line {line}: {summary}" if line else summary)
        self.line = line


class HazardError(PtoError):
    """A hazard under policy ``raise``; ``finding`` says where."""

    def __init__(self, summary: str, detail: str, finding: Finding) -> None:
        super().__init__(summary, detail)
        self.finding = finding


class OverrunHazard(HazardError):  # noqa: N818
    """A write into a slot that still holds an unconsumed tile (H7)."""

    code = "E10"


class StaleReadHazard(HazardError):  # noqa: N818
    """A read of a slot that does not hold the expected, recorded tile (H6)."""

    code = "E11"


class UseAfterFreeHazard(HazardError):  # noqa: N818
    """A read through a zero-copy tile whose slot was freed (H8)."""

    code = "E12"


class RingAliasHazard(HazardError):  # noqa: N818
    """Two rings share bytes (H9)."""

    code = "H9"


class LocalAliasHazard(HazardError):  # noqa: N818
    """A popped tile read after a later pop landed on its local slot (H10)."""

    code = "H10"


class PayloadConflictHazard(HazardError):  # noqa: N818
    """Both Vector cores wrote the same bytes differently (H13)."""

    code = "H13"


class RaceHazard(HazardError):  # noqa: N818
    """Bytes that two instructions reach in no fixed order, or that are lost (H14, H17)."""

    code = "H14"


class UnwrittenHazard(HazardError):  # noqa: N818
    """Bytes are read that nothing has written (H15)."""

    code = "H15"


class LostHazard(HazardError):  # noqa: N818
    """Pushed bytes, or a result, that are overwritten before anything has read them (H16)."""

    code = "H16"


class PtoWarning(UserWarning):
    """A finding under policy ``warn``."""


class FlagLeakWarning(PtoWarning):
    """Flags left standing at the end poison the next pipe that uses them (H11, E15)."""


@dataclass(frozen=True)
class Finding:
    """One thing found wrong: ``code`` as in the docs, ``kind`` a short name, where, and a sentence."""

    code: str
    kind: str
    message: str
    core: str = ""
    ring: str = ""
    tile: int = -1
    slot: int = -1
    step: int = -1


# What is detected, by the number the documentation uses. A deadlock names its cause by the same
# numbers.
HAZARDS = {
    "H1": "TPOP without a matching TPUSH",
    "H2": "isRecord = false: the consumer starves",
    "H3": "isFree = false or a missing TFREE: the producer starves",
    "H4": "A2/A3: a Vector core that does not take part; the reduce never completes",
    "H5": "A5 NO_SPLIT: sub-block 1 waits for a flag that is never set",
    "H6": "isWait = false: a stale read, or a credit that lets a later wait pass early",
    "H7": "isAllocate = false: a slot overwritten while READY or HELD",
    "H8": "a zero-copy tile read after its slot was freed and rewritten",
    "H9": "two rings share memory",
    "H10": "more popped tiles alive than local slots, or mixed tile sizes in the local ring",
    "H11": "flags left standing at the end, or drained too often",
    "H12": "a circular wait between the cores",
    "H13": "A2/A3 NO_SPLIT V2C: the two Vector cores write different bytes to one slot",
    "H14": "two instructions reach the same bytes, one writes, and nothing orders them",
    "H15": "bytes are read that nothing has written",
    "H16": "pushed bytes, or a result, are overwritten before anything has read them",
    "H17": "set_flag and wait_flag do not pair",
    "H18": "a barrier or a pair of flags that orders nothing: redundant",
}
