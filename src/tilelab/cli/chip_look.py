"""Which targets are recordings, and what is asked for of their chips; needs no chip itself."""

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tilelab.sim.errors import BadInputError
from tilelab.sim.files import check_writable
from tilelab.trace.writers import is_perfetto
from tilelab.traffic.sniff import is_npe_trace, is_recording

FIELD = (".json", ".csv")
"""How files are named that other tools of the field read: ``trace/chip/field.py``."""


@dataclass(frozen=True)
class Look:
    """What is asked for."""

    view: Path | None = None
    trace: Path | None = None
    cycles: bool = False
    check: bool = False
    what_if: tuple[str, ...] = ()
    late: bool = False
    """With ``check``: also with what tiles ask of the NoC as late as it may come."""

    path: Path | None = None
    """The recording's file."""
    cluster: str | None = None
    """A Dask cluster that does the replays of ``what_if``."""

    @property
    def timed(self) -> bool:
        """Whether anything is that takes the cycle clock."""
        return bool(self.view or self.trace or self.cycles)

    @property
    def wanted(self) -> bool:
        """Whether anything is."""
        return self.timed or self.check

    def refuse(self) -> None:
        """BadInputError if what is asked for cannot be written, or a trace not under its name."""
        check_writable(self.view)
        check_writable(self.trace)
        if self.trace and not is_perfetto(self.trace) and self.trace.suffix not in FIELD:
            known = ".pftrace (Perfetto), .json (tt-npe) or .csv (tt-metal's profiler)"
            raise BadInputError(f"{self.trace}: name a chip's trace {known}")


def npe_traces_among(targets: list[str]) -> bool:
    """Whether the targets are tt-npe's traces; BadInputError for some and other things."""
    return _all_are(is_npe_trace, targets, "tt-npe's traces")


def recordings_among(targets: list[str]) -> bool:
    """Whether the targets are recordings; BadInputError for some and other things."""
    return _all_are(is_recording, targets, "recordings")


def _all_are(such: Callable[[str], bool], targets: list[str], what: str) -> bool:
    found = sum(target != "-" and such(target) for target in targets)
    if found and found < len(targets):
        raise BadInputError(f"{what} and other targets cannot be run together")
    return bool(found)
