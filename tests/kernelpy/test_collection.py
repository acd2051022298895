"""Python looks for no garbage while a module is made, and does again when it is."""

import gc
import weakref
from pathlib import Path

import numpy as np
import pytest

from tilelab.kernelpy.build import Compiler, thaw, uncollected
from tilelab.kernelpy.layout import record
from tilelab.kernelpy.machine import Machine
from tilelab.kernelpy.module import Module
from tilelab.sim.kernel import kernel


@kernel
def one(a: int) -> int:
    return 1


def test_it_looks_again_whatever_happens() -> None:
    assert gc.isenabled()
    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert gc.isenabled()


def interrupted() -> None:
    with uncollected():
        assert not gc.isenabled()
        raise KeyboardInterrupt


@pytest.mark.parametrize("another", [False, True], ids=["thawed", "another module"])
def test_what_was_thrown_away_meanwhile_is_found_later(another: bool) -> None:
    class Node:
        itself: "Node"

    with uncollected():
        node = Node()
        node.itself = node
    gone = weakref.ref(node)
    del node
    gc.collect()
    assert gone() is not None
    if another:
        with uncollected():
            pass
    else:
        thaw()
        gc.collect()
    assert gone() is None
    thaw()


def test_who_has_it_look_for_none_is_left_alone() -> None:
    gc.disable()
    try:
        with uncollected():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_a_module_is_made_without(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TILELAB_CACHE", str(tmp_path))
    seen = []

    def make() -> Module:
        seen.append(gc.isenabled())
        module = Module(Machine(record(np.dtype([("x", "u4")]))))
        module.add(one, "one")
        return module

    Compiler([], "", "a test", print, print).images(make)
    assert seen == [False]
    assert gc.isenabled()
