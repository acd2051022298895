"""Where the commands print: results to stdout, messages to stderr, progress on terminals only."""

import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.console import Console

from tilelab.sim.errors import BadInputError

TEXT = "utf-8-sig"
"""UTF-8, and the mark that some editors put before it."""

if os.environ.get("COLUMNS") == "0":
    del os.environ["COLUMNS"]  # some shells have it so; Rich would print nothing at all

stdout = Console(highlight=False, soft_wrap=True)
stderr = Console(stderr=True, highlight=False, soft_wrap=True)


def complain(summary: str, detail: str = "") -> None:
    """Print one clear line, and what follows it, to stderr."""
    print(f"tilelab: {summary}", file=sys.stderr)
    if detail:
        print(detail, file=sys.stderr)


@contextmanager
def progress_line(console: Console) -> Iterator[Callable[[str], None]]:
    """Yields what shows a line of progress on a terminal, and nothing elsewhere; "" clears it.

    It draws only when called: it has no thread, so that processes can be started meanwhile.
    """
    shown = ""

    def show(text: str) -> None:
        nonlocal shown
        text = text[: console.width - 1]
        if console.is_terminal and text != shown:
            console.file.write(f"\r{text}\x1b[K")
            console.file.flush()
            shown = text

    try:
        yield show
    finally:
        show("")


def print_json(document: Any) -> None:
    """Print one machine-readable document to stdout."""
    json.dump(document, sys.stdout, allow_nan=False)
    sys.stdout.write("\n")


def shown(path: str) -> str:
    """What messages call a file, or stdin for ``-``."""
    return "<stdin>" if path == "-" else path


def read_bytes(path: str) -> bytes:
    """Read a file, or stdin for ``-``; BadInputError if that cannot be done."""
    if path == "-":
        return sys.stdin.buffer.read()
    try:
        return Path(path).read_bytes()
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        reason = isinstance(error, OSError) and error.strerror
        raise BadInputError(f"{path}: {reason or error}") from None


def read_text(path: str) -> str:
    """Read a UTF-8 text file, or stdin for ``-``; BadInputError if it is something else."""
    try:
        return read_bytes(path).decode(TEXT)
    except UnicodeDecodeError as error:
        raise BadInputError(f"{shown(path)}: not UTF-8 text (byte {error.start})") from None
