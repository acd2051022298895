"""What can be wrong with a PTO program: errors (E1-E17) and hazards (H1-H18).

An *error* is raised. A *hazard* is something the hardware would do in silence; the cluster's policy
says whether it is raised, warned of or only recorded as a ``Finding``. All are of tilelab's one
family: a ``BadInputError`` is known before a program runs, a ``MachineError`` what it does wrong.
``code`` is its number in the docs.
"""

from dataclasses import dataclass
from typing import ClassVar

from tilelab.sim.checks import Check, declare
from tilelab.sim.errors import (
    BadInputError,
    CycleLimitError,
    DeadlockError,
    MachineError,
    SourceError,
    TilelabError,
)
from tilelab.sim.renamed import renamed

__getattr__ = renamed(__name__, {"PtoError": TilelabError, "BadInput": BadInputError})


@dataclass
class Bad:
    """Something that can go wrong, and the order of cores that makes it happen."""

    code: str
    message: str
    detail: str
    schedule: list[str]
    kind: str = ""


@dataclass(frozen=True)
class Finding:
    """One thing found wrong: ``code`` as in the docs, ``kind``: a short name, a sentence, where."""

    code: str
    kind: str
    message: str
    core: str = ""
    ring: str = ""
    tile: int = -1
    slot: int = -1
    step: int = -1


class FlagRangeError(BadInputError):
    """A flag id outside the hardware's ids."""

    code = "E1"


class FlagConflictError(BadInputError):
    """A flag id that another live pipe or synchronisation owns."""

    code = "E2"


class ProfileError(BadInputError):
    """A direction, FIFO type or primitive that the architecture does not have."""

    code = "E3"


class TileTypeError(BadInputError):
    """A tile in a place the operation does not take."""

    code = "E4"


class CoreRoleError(BadInputError):
    """A core executing the other core's half of the protocol."""

    code = "E4"


class PipeConfigError(BadInputError):
    """A TPipe or TMPipe parameter outside its range."""

    code = "E5"


class SlotOverflowError(MachineError):
    """A tile that does not fit its slot."""

    code = "E6"


class CapacityError(MachineError):
    """A ring or tile outside its memory."""

    code = "E6"


class SplitConstraintError(MachineError):
    """A split the path, the tile's alignment or the pipe cannot do."""

    code = "E7"


class SplitMismatchError(MachineError):
    """Producer and consumer of one slot split it differently."""

    code = "E8"


class ShapeMismatchError(MachineError):
    """Producer and consumer of one slot disagree about shape or element type."""

    code = "E8"


class DrainDeadlock(DeadlockError):  # noqa: N818
    """The deadlock is in the teardown: credits that never come back."""

    code = "E15"


class DoubleFreeError(MachineError):
    """A free of a slot that is not held."""

    code = "E13"


class FlagOverflowError(MachineError):
    """A flag counter beyond its width."""

    code = "E14"


class ProtocolOrderError(MachineError):
    """TPUSH(GlobalTensor) without TALLOC, TFREE without TPOP, an operation never awaited."""

    code = "E16"


class ProfileUnsupported(BadInputError):  # noqa: N818
    """The CPU profile, on which the seed says TPUSH and TPOP do not exist."""

    code = "E17"


class FlagLeakError(MachineError):
    """Flags left standing at the end, under policy ``leaks="raise"``."""

    code = "H11"


class ConstraintError(MachineError):
    """A tile operation on a place that it does not take, under ``constraints="raise"``."""

    code = "E4"


class StepLimitError(CycleLimitError):
    """The program did not end within ``max_steps`` scheduling steps."""


class IRError(SourceError):
    """A source text that is not in the supported subset."""


class HazardError(MachineError):
    """A hazard under policy ``raise``; ``finding`` says where."""

    number: ClassVar[str] = ""
    """Its number in ``HAZARDS``, where that is not its ``code``."""

    def __init__(self, summary: str, detail: str, finding: Finding) -> None:
        super().__init__(summary, detail)
        self.finding = finding


class OverrunHazard(HazardError):  # noqa: N818
    """A write into a slot that still holds an unconsumed tile (H7)."""

    code, number = "E10", "H7"


class StaleReadHazard(HazardError):  # noqa: N818
    """A read of a slot that does not hold the expected, recorded tile (H6)."""

    code, number = "E11", "H6"


class UseAfterFreeHazard(HazardError):  # noqa: N818
    """A read through a zero-copy tile whose slot was freed (H8)."""

    code, number = "E12", "H8"


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
class Hazard(Check):
    """What a cluster detects; ``number`` is the documentation's."""

    number: str = ""

    def __str__(self) -> str:
        return self.message


def _hazard(number: str, name: str, category: type[MachineError], message: str) -> Hazard:
    row = Hazard(f"pto-{name}", category, message, "pto.md", number=number)
    declare(row)
    return row


_ROWS = (
    _hazard("H1", "pop-unmatched", DeadlockError, "TPOP without a matching TPUSH"),
    _hazard("H2", "unrecorded", DeadlockError, "isRecord = false: the consumer starves"),
    _hazard(
        "H3", "unfreed", DeadlockError, "isFree = false or a missing TFREE: the producer starves"
    ),
    _hazard(
        "H4",
        "vector-core-missing",
        DeadlockError,
        "A2/A3: a Vector core that does not take part; the reduce never completes",
    ),
    _hazard(
        "H5",
        "nosplit-starves",
        DeadlockError,
        "A5 NO_SPLIT: sub-block 1 waits for a flag that is never set",
    ),
    _hazard(
        "H6",
        "stale-read",
        StaleReadHazard,
        "isWait = false: a stale read, or a credit that lets a later wait pass early",
    ),
    _hazard(
        "H7", "overrun", OverrunHazard, "isAllocate = false: a slot overwritten while READY or HELD"
    ),
    _hazard(
        "H8",
        "use-after-free",
        UseAfterFreeHazard,
        "a zero-copy tile read after its slot was freed and rewritten",
    ),
    _hazard("H9", "ring-alias", RingAliasHazard, "two rings share memory"),
    _hazard(
        "H10",
        "local-alias",
        LocalAliasHazard,
        "more popped tiles alive than local slots, or mixed tile sizes in the local ring",
    ),
    _hazard(
        "H11", "flag-leak", FlagLeakError, "flags left standing at the end, or drained too often"
    ),
    _hazard("H12", "circular-wait", DeadlockError, "a circular wait between the cores"),
    _hazard(
        "H13",
        "payload-conflict",
        PayloadConflictHazard,
        "A2/A3 NO_SPLIT V2C: the two Vector cores write different bytes to one slot",
    ),
    _hazard(
        "H14",
        "race",
        RaceHazard,
        "two instructions reach the same bytes, one writes, and nothing orders them",
    ),
    _hazard("H15", "unwritten", UnwrittenHazard, "bytes are read that nothing has written"),
    _hazard(
        "H16",
        "lost",
        LostHazard,
        "pushed bytes, or a result, are overwritten before anything has read them",
    ),
    _hazard("H17", "flags-unpaired", RaceHazard, "set_flag and wait_flag do not pair"),
    _hazard(
        "H18",
        "redundant",
        HazardError,
        "a barrier or a pair of flags that orders nothing: redundant",
    ),
)
HAZARDS = {row.number: row for row in _ROWS}
"""By number. A deadlock names its cause by the same numbers."""
