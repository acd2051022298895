"""Writes issued instructions as JSON Lines: one object a line, stable keys (docs/trace.md)."""

import json
from typing import IO

from tilelab.tensix.assembly import disassemble
from tilelab.tensix.frontend.origin import unpack_origin


class JsonLinesWriter:
    """An observer of a tile that writes every issued instruction to a text file."""

    def __init__(self, file: IO[str], arch: str) -> None:
        self.file = file
        self.arch = arch

    def __call__(self, clock: int, thread: int, word: int, origin: int) -> None:
        """Write one issued instruction."""
        event = {
            "cycle": clock,
            "thread": thread,
            "word": f"{word:#010x}",
            "assembly": disassemble(word, self.arch),
            **unpack_origin(origin).as_dict(),
        }
        self.file.write(json.dumps(event) + "\n")
