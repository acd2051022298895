"""Machines made of machines: a kernel of the whole reaches the records of its parts by number."""

from typing import Any

import numpy as np
import pytest

from tilelab.kernelpy.build import Library, emit
from tilelab.kernelpy.layout import record
from tilelab.kernelpy.machine import KernelError, Machine
from tilelab.kernelpy.module import Module
from tilelab.sim.kernel import OK, kernel
from tilelab.sim.record import record_type

PART = record_type([("count", "<u4"), ("list", "<u4", (4,))])
WHOLE = record_type([("total", "<u8"), ("address_of", "<u8", (3,))])


@kernel
def add(s: Any, amount: int) -> int:
    """A kernel of a part: it knows nothing of the whole."""
    s.count += amount * s.step
    s.list[amount & 3] = s.count
    return OK


@kernel
def add_to(c: Any, i: int, amount: int) -> int:
    """A kernel of the whole."""
    s = c.part[i]
    add(s, amount)
    c.total += s.count
    return s.list[amount & 3]


@kernel
def whole_array(c: Any) -> int:
    """Not kernel Python: the parts are no number."""
    return c.part


def whole() -> Machine:
    part = Machine(record(PART), constants={"step": 10})
    return Machine(record(WHOLE), parts={"part": ("address_of", part)}, name="c")


def test_each_part_is_reached_where_its_address_says() -> None:
    module = Module(whole(), "parts")
    module.add(add_to, "add_to")
    library = Library(emit(module.whole))  # its code lives as long as it does
    call = library.function("add_to", 3)
    parts = [np.zeros((), PART) for _ in range(3)]
    made = np.zeros((), WHOLE)
    made["address_of"] = [part.ctypes.data for part in parts]
    assert call(made.ctypes.data, 2, 3) == 30
    assert call(made.ctypes.data, 0, 1) == 10
    assert call(made.ctypes.data, 2, 1) == 40
    assert [int(part["count"]) for part in parts] == [10, 0, 40]
    assert parts[2]["list"].tolist() == [0, 40, 0, 30]
    assert int(made["total"]) == 30 + 10 + 40


def test_parts_are_no_number() -> None:
    with pytest.raises(KernelError, match="records elsewhere, is not a number"):
        Module(whole()).add(whole_array, "whole_array")
