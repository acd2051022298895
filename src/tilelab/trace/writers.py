"""Which writer a trace file's name asks for."""

from collections.abc import Callable
from io import BytesIO, StringIO
from pathlib import Path

from tilelab.sim.errors import BadInputError
from tilelab.sim.files import writing
from tilelab.trace.jsonl import write_json_lines
from tilelab.trace.perfetto import write_perfetto
from tilelab.trace.recorded import Recorded
from tilelab.trace.text import write_text


def perfetto_bytes(recording: Recorded) -> bytes:
    """A recording as a Perfetto trace."""
    file = BytesIO()
    write_perfetto(recording, file)
    return file.getvalue()


def json_bytes(recording: Recorded) -> bytes:
    """A recording as JSON Lines."""
    file = StringIO()
    write_json_lines(recording, file)
    return file.getvalue().encode()


def text_bytes(recording: Recorded) -> bytes:
    """A recording as text."""
    file = StringIO()
    write_text(recording, file)
    return file.getvalue().encode()


WRITERS: dict[str, Callable[[Recorded], bytes]] = {
    ".pftrace": perfetto_bytes,
    ".perfetto-trace": perfetto_bytes,
    ".txt": text_bytes,
}
"""Suffixes that need the cycle clock."""
JSON_LINES = (".jsonl", ".json", ".ndjson", "")
"""Suffixes of JSON Lines, which either clock can give."""


def is_perfetto(path: Path) -> bool:
    """Whether a trace of this name is one for Perfetto."""
    return WRITERS.get(path.suffix) is perfetto_bytes


def needs_cycles(path: Path) -> bool:
    """Whether a trace of this name can only be made under the cycle clock."""
    return path.suffix in WRITERS


def check_holds(path: Path, runs: int) -> None:
    """BadInputError unless a name says what trace it is, and such a one can hold so many runs."""
    if path.suffix not in (*WRITERS, *JSON_LINES):
        raise BadInputError(f"{path}: a trace is .pftrace (Perfetto), .txt or .jsonl (JSON Lines)")
    if runs > 1 and is_perfetto(path):
        raise BadInputError(f"{path}: a Perfetto trace holds one run; give one target")


def append(recording: Recorded, path: Path) -> None:
    """Write a recording to the end of a file, as its suffix says."""
    with path.open("ab") as file:
        file.write(WRITERS.get(path.suffix, json_bytes)(recording))


def write(recording: Recorded, path: Path) -> None:
    """Write a recording as its file's suffix says; BadInputError if that cannot be done."""
    with writing(path) as at:
        append(recording, at)
