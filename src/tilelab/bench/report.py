"""Everything that ``tilelab bench`` measures, and the document that it makes of it."""

import os
import platform
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field, fields, is_dataclass
from pathlib import Path
from typing import Any

from tilelab.bench.backends import UnableError
from tilelab.bench.check import CheckRow, measure_check
from tilelab.bench.growth import TileRow, measure_length, measure_tiles
from tilelab.bench.history import HistoryRow, measure_history
from tilelab.bench.llk import LlkSet, measure_llk
from tilelab.bench.measure import Row, Simulator, measure, simulators
from tilelab.bench.schedules import SchedulesRow, measure_schedules
from tilelab.bench.start import Starts, Sweep, measure_starts, measure_sweep
from tilelab.bench.traffic import TrafficRow, measure_traffic
from tilelab.bench.work import CHIP, Work
from tilelab.kernelpy.tiers import PATIENCE
from tilelab.tensix.tile.tile import Tile

SECTIONS = ("llk", "chip", "check", "growth", "history", "schedules", "start", "sweep")
"""What can be measured besides the benchmarks of instructions."""
CPU_INFO = Path("/proc/cpuinfo")


@dataclass(frozen=True)
class Plan:
    """What to measure, and how often."""

    works: Sequence[Work]
    sections: Sequence[str]
    runs: int = 5
    sizes: Sequence[int] = (1,)
    tiny: bool = False


@dataclass
class Results:
    """What came out. A section is None if it was not asked for or cannot be measured here."""

    machine: dict[str, Any]
    rows: list[Row] = field(default_factory=list)
    missing: dict[str, str] = field(default_factory=dict)
    llk: LlkSet | None = None
    chip: list[TrafficRow] | None = None
    check: list[CheckRow] | None = None
    length: list[Row] | None = None
    tiles: list[TileRow] | None = None
    history: list[HistoryRow] | None = None
    schedules: list[SchedulesRow] | None = None
    start: Starts | None = None
    sweep: Sweep | None = None

    def document(self) -> dict[str, Any]:
        """The results as one JSON document; docs/cli/bench.md describes its keys."""
        benchmarks = {"machine": self.machine, "benchmarks": _plain(self.rows)}
        others = [one.name for one in fields(self) if one.name not in ("machine", "rows")]
        return benchmarks | {name: _plain(getattr(self, name)) for name in others}


def _plain(value: Any) -> Any:
    """Results as JSON has them, with what follows from them."""
    if isinstance(value, list):
        return [_plain(one) for one in value]
    if isinstance(value, Row):
        return {**asdict(value), "ratios": value.ratios()}
    if isinstance(value, LlkSet):
        return {**asdict(value), "worst": value.worst.name if value.worst else None}
    return asdict(value) if is_dataclass(value) and not isinstance(value, type) else value


def _processor() -> str:
    if CPU_INFO.is_file():
        for line in CPU_INFO.read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def machine() -> dict[str, Any]:
    """Where this runs, and how busy it is."""
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else None
    return {
        "processor": _processor(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
        "system": platform.system(),
        "load": load,
    }


def everything(plan: Plan, note: Callable[[str], None]) -> Results:
    """Measure what the plan says; ``note`` is told what is running.

    A section that cannot be measured here is among what is missing, with the reason; so are
    simulators.
    """
    os.environ.setdefault(PATIENCE, "0")  # what is measured runs for long
    Tile(CHIP)  # compiled now, so that nothing measured does it
    results = Results(machine())
    known, results.missing = simulators()
    for work in plan.works:
        for size in plan.sizes:
            note(f"{work.name}, size {size}")
            results.rows.append(measure(work, known, plan.runs, size, plan.tiny))
    for section in plan.sections:
        try:
            _measure_section(section, results, plan, known, note)
        except UnableError as error:
            results.missing[section] = error.summary
    return results


def _measure_section(
    section: str,
    results: Results,
    plan: Plan,
    known: list[Simulator],
    note: Callable[[str], None],
) -> None:
    how = plan.runs, plan.tiny, note
    measured: dict[str, Callable[[], dict[str, Any]]] = {
        "llk": lambda: {"llk": measure_llk(*how)},
        "chip": lambda: {"chip": measure_traffic(plan.runs, note, results.missing)},
        "check": lambda: {"check": measure_check(*how)},
        "growth": lambda: {"length": measure_length(known, *how), "tiles": measure_tiles(*how)},
        "history": lambda: {"history": measure_history(*how)},
        "schedules": lambda: {"schedules": measure_schedules(*how)},
        "start": lambda: {"start": measure_starts(plan.runs, note)},
        "sweep": lambda: {"sweep": measure_sweep(*how)},
    }
    for name, found in measured[section]().items():
        setattr(results, name, found)
