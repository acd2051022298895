"""``TILELAB_DUMP=DIR``: what the compiler is given and makes, as files to look at.

The generated Python is written as it is run, LLVM's IR as emitted and as optimised.
"""

import os
from pathlib import Path

VARIABLE = "TILELAB_DUMP"


def folder() -> Path | None:
    """Where to write; None if nobody asked."""
    named = os.environ.get(VARIABLE)
    return Path(named) if named else None


def write(name: str, text: str) -> None:
    """Write a file, if the environment asks for it; OSError, naming the variable, if it fails."""
    where = folder()
    if where is None:
        return
    try:
        where.mkdir(parents=True, exist_ok=True)
        (where / name).write_text(text, encoding="utf-8")
    except OSError as error:
        raise OSError(f"{VARIABLE}: {where / name} cannot be written: {error.strerror}") from error
