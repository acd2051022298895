"""A small machine for tests of the compiler."""

from collections.abc import Callable
from typing import Any

import numpy as np

from tilelab.kernelpy.build import Library, emit
from tilelab.kernelpy.layout import record
from tilelab.kernelpy.machine import Machine
from tilelab.kernelpy.module import Module
from tilelab.sim.record import differences, record_type, view

QUEUE = record_type([("word", "<u4", (4,)), ("head", "<u4"), ("count", "<u4")])
WIDE_QUEUE = record_type([("count", "<u8"), ("word", "<i8", (4,)), ("head", "u1")])
PART = record_type([("early", QUEUE), ("late", WIDE_QUEUE), ("x", "<i4", (3,))])
STATE = record_type([("n", "<i8"), ("parts", PART, (2,)), ("pair", "<u2", (2, 3))])


def module(*kernels: Callable[..., Any]) -> Module:
    """Kernels compiled for the small machine."""
    made = Module(Machine(record(STATE)))
    for function in kernels:
        made.add(function, function.__name__)
    return made


def both(function: Callable[..., Any], *arguments: int, start: Any = None) -> tuple[int, Any]:
    """What Python and machine code leave, which must be the same: the result and the state."""
    python = np.zeros((), STATE) if start is None else start.copy()
    compiled = python.copy()
    result = function(view(python), *arguments)
    library = Library(emit(module(function).whole))
    code = library.function(function.__name__, 1 + len(arguments))
    assert code(compiled.ctypes.data, *arguments) == result
    assert not differences(python, compiled)
    return result, python
