"""NumPy's files (.npy), with errors that say what is wrong with the file and nothing else."""

import tokenize
import warnings
from pathlib import Path
from typing import Any, BinaryIO

import numpy.typing as npt
from numpy.lib import format as npy_format

from tilelab.sim.errors import BadInputError
from tilelab.sim.files import reason

MAGIC = b"\x93NUMPY"
NUMBERS = "fiu"
"""Kinds of element types that are real numbers."""


def read_npy(file: BinaryIO, name: str) -> npt.NDArray[Any]:
    """Read an array of numbers or truth values; BadInputError of one line if there is none."""
    try:
        array: npt.NDArray[Any] = npy_format.read_array(file, allow_pickle=False)
    except (ValueError, EOFError, OSError, SyntaxError, TypeError, OverflowError, MemoryError,
            tokenize.TokenError) as error:  # fmt: skip
        file.seek(0)
        raise BadInputError(f"{name}: {_problem(file.read(len(MAGIC)), error)}") from None
    return array


def map_npy(path: Path) -> npt.NDArray[Any]:
    """Map an array of numbers, whose contents are read as they are asked for.

    BadInputError, without the file's name, if it holds anything else, or no element.
    """
    start = b""
    try:
        with path.open("rb") as file:
            start = file.read(len(MAGIC))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # a shape beyond all memory is an error below
            array = npy_format.open_memmap(path, mode="r")
    except OSError as error:
        raise BadInputError(f"cannot be read: {reason(error)}") from None
    except Exception as error:  # whatever NumPy makes of a damaged header
        raise BadInputError(_problem(start, error)) from None
    if array.dtype.kind not in NUMBERS:
        # what NumPy does not know itself, as ml_dtypes' bfloat16, is saved as bytes without a type
        cure = ": save it as float32" if array.dtype.kind == "V" and not array.dtype.names else ""
        raise BadInputError(f"holds {array.dtype} elements, not numbers{cure}")
    if not array.size:
        raise BadInputError("holds no element")
    return array


def _problem(start: bytes, error: Exception) -> str:
    if start != MAGIC:
        return "is not a NumPy array (.npy)"
    if "object" in str(error).lower():
        return "holds Python objects, not numbers"
    return "is a damaged or truncated NumPy array (.npy)"
