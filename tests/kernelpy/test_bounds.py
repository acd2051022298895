"""Bounds checks in compiled kernels: what is outside is told, and nothing there is touched."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tilelab.kernelpy.build import Library, emit
from tilelab.kernelpy.layout import record
from tilelab.kernelpy.machine import Machine, OutsideError
from tilelab.kernelpy.module import Module
from tilelab.sim.kernel import kernel
from tilelab.sim.record import record_type

INNER = np.dtype([("before", "<u4"), ("x", "<u4", (3,))])
STATE = record_type([("grid", "<u4", (4, 8)), ("parts", INNER, (2,)), ("after", "<u4", (64,))])
TABLE = (5, 6, 7)


@kernel
def put(s: Any, row: int, column: int) -> int:
    s.grid[row, column] = 9
    return 0


@kernel
def put_part(s: Any, part: int, i: int) -> int:
    s.parts[part].x[i] = 9
    return 0


@kernel
def look_up(s: Any, i: int) -> int:
    return TABLE[i]


@pytest.fixture(scope="module")
def library() -> Library:
    module = Module(Machine(record(STATE)), checked=True)
    for function in (put, put_part, look_up):
        module.add(function, function.__name__)
    return Library(emit(module.whole))


@pytest.mark.parametrize(
    ("name", "indices", "place", "line"),
    [
        ("put", (4, 0), "grid has 4", "s.grid[row"),
        ("put", (0, 8), "grid has 8", "s.grid[row"),
        ("put", (-1, 0), "grid has 4", "s.grid[row"),
        ("put_part", (2, 0), "parts has 2", "s.parts[part]"),
        ("put_part", (0, 3), "parts.x has 3", "s.parts[part]"),
    ],
)
def test_an_index_outside(library: Library, name: str, indices: Any, place: str, line: str) -> None:
    state = np.zeros((), STATE)
    library.function(name, 3)(state.ctypes.data, *indices)
    with pytest.raises(OutsideError) as raised:
        library.raise_outside()
    text = str(raised.value)
    where, _, rest = text.partition(": ")
    outside = next(i for i in indices if i)
    assert rest == f"{name}: {place} elements, the index is {outside}"
    file, _, number = where.rpartition(":")
    assert line in Path(file).read_text(encoding="utf-8").splitlines()[int(number) - 1]
    assert not np.any(state["after"])
    assert np.count_nonzero(state["grid"]) + np.count_nonzero(state["parts"]["x"]) == 1
    library.raise_outside()  # it is told once


def test_a_table(library: Library) -> None:
    look = library.function("look_up", 2)
    assert [look(0, i) for i in range(3)] == [5, 6, 7]
    library.raise_outside()
    look(0, 3)
    with pytest.raises(OutsideError, match="look_up: TABLE has 3 elements, the index is 3"):
        library.raise_outside()


def test_indices_within_are_used_as_they_are(library: Library) -> None:
    state = np.zeros((), STATE)
    for row in range(4):
        for column in range(8):
            library.function("put", 3)(state.ctypes.data, row, column)
    library.raise_outside()
    assert (state["grid"] == 9).all()
    assert not np.any(state["after"])


def test_code_without_checks_has_none() -> None:
    module = Module(Machine(record(STATE)))
    module.add(put, "put")
    assert "bounds.check" not in str(module.whole.llvm)
