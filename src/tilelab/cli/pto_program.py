"""Python and IR programs as the ``pto`` commands take them."""

from typing import Any

import numpy as np

from tilelab.cli.streams import read_text
from tilelab.pto.program import Program
from tilelab.sim.errors import BadInputError
from tilelab.sim.files import reason


def program_of(file: str, arguments: list[str] | None, **options: Any) -> Program:
    """A program, read with the arguments of its parameters; BadInputError."""
    return Program(file, read_text(file), dict(map(_argument, arguments or [])), options)


def _argument(item: str) -> tuple[str, Any]:
    """``NAME=FILE.npy`` or ``NAME=NUMBER``, read."""
    name, equals, value = item.partition("=")
    if not equals or not value:
        raise BadInputError(f"--arg {item}: write NAME=FILE.npy or NAME=NUMBER")
    try:
        if value.endswith(".npy"):
            return name, np.load(value)
    except (OSError, ValueError) as error:
        raise BadInputError(f"--arg {item}: {reason(error)}") from None
    try:
        return name, int(value, 0)
    except ValueError:
        raise BadInputError(f"--arg {item}: {value!r} is not a number") from None
