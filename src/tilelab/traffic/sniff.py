"""Which files are recordings of a host's traffic, and their bytes; nothing of a chip is needed."""

import lzma
from pathlib import Path
from typing import Final

from tilelab.sim.errors import BadInputError
from tilelab.sim.files import LARGEST, read_file

XZ: Final = b"\xfd7zXZ\0"
FIRST: Final = b"chip "
LOG: Final = b"TTLOG1\n\0"
"""What a log of calls begins with (``calls``)."""
MESSAGES: Final = (b"WRITE co", b"READ cor", b"RESET_AS", b"RESET_DE")
"""What a trace of messages begins with (``messages``)."""


def is_recording(path: str | Path) -> bool:
    """Whether a file begins as a recording does; False if it cannot be read, or only once."""
    try:
        if not Path(path).is_file():
            return False
        with Path(path).open("rb") as file:
            start = file.read(len(LOG))
            if start.startswith(XZ):
                file.seek(0)
                with lzma.LZMAFile(file) as text:
                    start = text.read(len(LOG))
    except (OSError, ValueError, lzma.LZMAError, EOFError):
        return False
    return start.startswith(FIRST) or start == LOG or start in MESSAGES


def is_npe_trace(path: str | Path) -> bool:
    """Whether a file begins as a trace for tt-npe does (``npe``); False if it cannot be read."""
    try:
        if not Path(path).is_file():
            return False
        with Path(path).open("rb") as file:
            start = b"".join(file.read(4096).split())
    except (OSError, ValueError):
        return False
    return start.startswith(b"[{") and b'"proc":' in start and b'"sx":' in start


def read_recorded(path: str | Path) -> bytes:
    """A recording's bytes, of either form, decompressed; BadInputError if they cannot be had."""
    data = read_file(path)
    if data.startswith(XZ):
        try:
            data = lzma.LZMADecompressor().decompress(data, LARGEST)
        except lzma.LZMAError as error:
            raise BadInputError(f"{path}: {error}") from None
    return data
