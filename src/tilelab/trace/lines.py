"""What each source line took under the cycle clock, as a table: CSV, JSON, rows for a data frame.

Cycles of a line are those until its word was issued, counted from the word that its thread issued
before, so that a thread's lines add up to its last issue; a core's waits are where it stood while
it could not go on. The page's source panel says the same (``page/source.js``), of any range.
"""

import csv
import io
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any

from tilelab.sim.errors import BadInputError
from tilelab.sim.files import writing
from tilelab.tensix.cycle import events
from tilelab.tensix.state import CORES, THREADS
from tilelab.tensix.tables.causes import CORE_RESET
from tilelab.tensix.words.origin import pushed_at, pusher
from tilelab.trace.recorded import Recorded

COLUMNS = ("kernel", "line", "t0", "t1", "t2", "issued", "waits")
SUFFIXES = (".csv", ".json")


@dataclass(frozen=True)
class LineTime:
    """One source line; "" is what no line is known of."""

    line: str
    threads: tuple[int, ...]
    """Cycles of each thread."""
    issued: int
    """Instructions that its words became."""
    waits: int
    """Cycles in which cores stood there."""


@dataclass(frozen=True)
class LineTimes:
    """The lines of a run, those that took most first."""

    kernel: str
    lines: list[LineTime] = field(default_factory=list)

    def rows(self) -> list[dict[str, Any]]:
        """One dictionary for each line, with the columns of the CSV."""
        made = []
        for one in self.lines:
            values = (self.kernel, one.line, *one.threads, one.issued, one.waits)
            made.append(dict(zip(COLUMNS, values, strict=True)))
        return made


def line_times(recording: Recorded) -> LineTimes:
    """What each source line of a run took."""
    if not isinstance(recording, Recorded):
        raise BadInputError(f"lines are of a Recording, not of {type(recording).__name__}")
    name_of = cache(recording.sources.line)
    found: dict[str, LineTime] = {}

    def at(line: str) -> LineTime:
        return found.setdefault(line, LineTime(line, (0,) * THREADS, 0, 0))

    for thread in range(THREADS):
        issues = recording.of(events.ISSUE, thread)
        before = 0
        pairs = zip(issues["clock"].tolist(), issues["extra"].tolist(), strict=True)
        for clock, origin in pairs:
            one = at(_line(name_of, origin, recording))
            threads = tuple(n + (clock - before) * (t == thread) for t, n in enumerate(one.threads))
            found[one.line] = replace(one, threads=threads, issued=one.issued + 1)
            before = clock
    for core in range(CORES):
        for span in recording.states(events.CORE, core):
            if span.value not in (0, CORE_RESET):
                one = at(name_of(core, span.extra))
                found[one.line] = replace(one, waits=one.waits + span.end - span.start)
    most = sorted(found.values(), key=lambda one: (-max(one.threads), -one.waits, one.line))
    return LineTimes(recording.name, most)


def _line(name_of: Any, origin: int, recording: Recorded) -> str:
    return str(name_of(pusher(origin), pushed_at(origin)))


@contextmanager
def line_file(path: Path | None, tables: list[LineTimes]) -> Iterator[None]:
    """Write the tables that are there in the end; BadInputError, at once, if that cannot be."""
    if path is None:
        yield
        return
    if path.suffix not in SUFFIXES:
        raise BadInputError(f"{path}: name it {' or '.join(SUFFIXES)}")
    with writing(path) as at:
        yield
        at.write_text(
            as_csv(tables) if path.suffix == ".csv" else as_json(tables), encoding="utf-8"
        )


def as_csv(tables: list[LineTimes]) -> str:
    """The tables as comma-separated values, with a line of heads."""
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    writer.writeheader()
    for table in tables:
        writer.writerows(table.rows())
    return text.getvalue()


def as_json(tables: list[LineTimes]) -> str:
    """The tables as one JSON document: ``{"kernels": [{"kernel", "lines": [{"line", …}]}]}``."""
    return json.dumps({"kernels": [asdict(table) for table in tables]}) + "\n"
