"""What is told of arrays within arrays of records: the row is counted over all of them."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from harness import STATE

from tilelab.kernelpy.build import Library, emit
from tilelab.kernelpy.layout import record
from tilelab.kernelpy.machine import Machine
from tilelab.kernelpy.module import Module
from tilelab.kernelpy.watch import Watch, Watched, watched_module
from tilelab.sim.kernel import kernel

FIRST = 10


@kernel
def told(s: Any, row: int) -> int:
    s.n = s.n * 100 + row
    return 0


@kernel
def by_index(s: Any, part: int, at: int) -> int:
    s.parts[part].x[at] = 7
    return 0


@kernel
def by_name(s: Any, part: int, at: int) -> int:
    named = s.parts[part]
    named.x[at] = 7
    return 0


@kernel
def put_in(s: Any, part: Any, at: int) -> int:
    part.x[at] = 7
    return 0


@kernel
def by_parameter(s: Any, part: int, at: int) -> int:
    return put_in(s, s.parts[part], at)


@kernel
def by_constant(s: Any, part: int, at: int) -> int:
    if part:
        s.parts[1].x[at] = 7
    else:
        s.parts[0].x[at] = 7
    return 0


@kernel
def in_a_loop(s: Any, part: int, at: int) -> int:
    named = s.parts[part]
    for _ in range(3):
        named.x[at] = 7
    return 0


@pytest.mark.parametrize("part", [0, 1])
@pytest.mark.parametrize("write", [by_index, by_name, by_parameter, by_constant, in_a_loop])
def test_the_row_counts_the_records_too(write: Callable[..., int], part: int) -> None:
    watched = Watched(None, told, FIRST, whole_rows=False)
    watch = Watch(arrays={"parts.x": watched}, watched=lambda function: function is not told)
    module = watched_module(Module(Machine(record(STATE))), watch)
    module.add(write, "write")
    library = Library(emit(module.whole))
    for at in range(3):
        state = np.zeros((), STATE)
        library.function("write", 3)(state.ctypes.data, part, at)
        assert state["parts"]["x"][part, at] == 7
        assert state["n"] == FIRST + 3 * part + at
