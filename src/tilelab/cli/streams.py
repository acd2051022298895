"""stdin, stdout and stderr as the commands use them; quick to import, unlike ``console``."""

import codecs
import io
import json
import os
import re
import sys
from dataclasses import dataclass
from typing import Any, TextIO

from tilelab.sim.errors import BadInputError, DefectError, TilelabError
from tilelab.sim.files import TEXT, read_file, read_stream

CONTROL = re.compile("[\\0-\\x1f\\x7f-\\x9f]")
PLAIN = {"µ": "u", "×": "x", "·": ".", "–": "-", "−": "-", "→": "->", "←": "<-", "≥": ">="} | dict(
    zip("▁▂▃▄▅▆▇█", "_.:-=+*#", strict=True)
)
"""What stands for characters that an encoding lacks; others are spelt out."""


@dataclass
class Output:
    """What stdout is to a command."""

    goes_on: bool = False
    """Whether more than text is to come of the command: a file, or the verdict of what has run."""


printing = Output()


def complain(summary: str, detail: str = "") -> None:
    """Print one clear line, and what follows it, to stderr; if nobody takes that, nothing fails."""
    try:
        print(f"tilelab: {one_line(summary)}", file=sys.stderr)
        if detail:
            print(detail, file=sys.stderr)
    except OSError:
        drop(sys.stderr)  # the exit code still says it


def one_line(text: str) -> str:
    """A text whose control characters, of a file's name say, are spelt out."""
    return CONTROL.sub(lambda found: repr(found[0])[1:-1], text)


def complain_of(error: TilelabError, name: str = "") -> None:
    """Print an error; of a defect of tilelab only one line, unless TILELAB_TRACEBACK is set."""
    summary, detail = error.summary, error.detail
    if isinstance(error, DefectError) and not os.environ.get("TILELAB_TRACEBACK"):
        summary += " (a defect of tilelab; TILELAB_TRACEBACK=1 shows where)"
        detail = ""
    said = not name or summary.startswith(f"{name}: ")
    complain(summary if said else f"{name}: {summary}", detail)


def _encoded(error: UnicodeError) -> tuple[str | bytes, int]:
    """What a stream gets for characters that its encoding lacks; a file's name keeps its bytes."""
    assert isinstance(error, UnicodeEncodeError)
    made = b""
    for char in error.object[error.start : error.end]:
        if "\udc80" <= char <= "\udcff":
            made += os.fsencode(char)
        else:
            made += PLAIN.get(char, char).encode("ascii", "backslashreplace")
    return made, error.end


codecs.register_error("tilelab", _encoded)


def open_streams() -> None:
    """Let what the shell has closed (``>&-``) be empty, not missing; the rest take any text."""
    for name, mode in ("stdin", "r"), ("stdout", "w"), ("stderr", "w"):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115
    for stream, own in (sys.stdout, sys.__stdout__), (sys.stderr, sys.__stderr__):
        if isinstance(stream, io.TextIOWrapper) and stream is own:
            stream.reconfigure(errors="tilelab")


def drop(stream: TextIO) -> None:
    """Send what is still buffered for a stream nowhere, so that nothing fails again at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def end_output(text: str = "") -> None:
    """Write the last of stdout, if anybody still reads that: the command's verdict stands."""
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        drop(sys.stdout)


def print_json(document: Any) -> None:
    """Print one machine-readable document to stdout, in the end."""
    end_output(f"{json_text(document)}\n")


def json_text(document: Any) -> str:
    """A document as JSON. Bytes of a file's name that are no UTF-8 are spelt out: ``\\xe9``."""
    return json.dumps(_valid(document), allow_nan=False)


def _valid(value: Any) -> Any:
    """A document without lone surrogates, which JSON has no room for."""
    if isinstance(value, str):
        return value.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    if isinstance(value, dict):
        return {_valid(key): _valid(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_valid(item) for item in value]
    return value


def shown(path: str) -> str:
    """What messages call a file, or stdin for ``-``."""
    return "<stdin>" if path == "-" else path


def read_bytes(path: str) -> bytes:
    """Read a file, or stdin for ``-``; BadInputError if that cannot be done."""
    if path == "-":
        return read_stream(sys.stdin.buffer, shown(path))
    return read_file(path)


def read_text(path: str) -> str:
    """Read a UTF-8 text file, or stdin for ``-``; BadInputError if it is something else."""
    try:
        return read_bytes(path).decode(TEXT)
    except UnicodeDecodeError as error:
        raise BadInputError(f"{shown(path)}: not UTF-8 text (byte {error.start})") from None
