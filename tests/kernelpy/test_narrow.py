"""Narrow kernels and lanes: the promises they make, and the code that they become."""

import sys
from collections.abc import Callable
from types import CodeType, FrameType
from typing import Any

import numpy as np
import pytest

from engine_pair import CHIPS, Pair
from tilelab.sim.checks import Policy
from tilelab.sim.kernel import KERNELS, WORD_BITS, bit_length, kernel, lanes, narrow, signed32
from tilelab.sim.record import record_type, view
from tilelab.tensix.backend.packers.accumulate import add_bf16, add_fp16, add_fp32

pytest.importorskip("llvmlite")

from tilelab.kernelpy.build import Library, emit, optimised
from tilelab.kernelpy.layout import record
from tilelab.kernelpy.machine import KernelError, Machine
from tilelab.kernelpy.module import Module

STATE = record_type(
    [("small", "<i2", (64,)), ("words", "<u4", (64,)), ("sums", "<i4", (64,)), ("n", "<i8")]
)


def compiled(*kernels: Callable[..., Any]) -> tuple[Module, str]:
    """Kernels compiled as the engine compiles them, and the optimised IR."""
    module = Module(Machine(record(STATE)))
    for function in kernels:
        module.add(function, function.__name__)
    return module, str(optimised(module.whole))


@narrow(32)
def add_up(s: Any, factor: int) -> int:
    seen = 0
    for i in lanes(64):
        x = signed32(s.words[i])
        size = -(x + 1) if x < 0 else x
        s.sums[i] = (s.small[i] * factor) >> (bit_length(size) // 4)
        seen |= x
    return seen


@narrow(16)
def halves(s: Any) -> int:
    for i in lanes(64):
        s.small[i] = s.small[i] >> 1
    return 0


@narrow(16)
def by_cases(s: Any) -> int:
    for i in range(64):
        which = s.small[i]
        beside = s.small[63 - i]
        if which == 0:
            s.sums[i] = 10
        elif which == 1:
            s.sums[i] = 11
        elif which == 2:
            s.sums[i] = 12
        elif which == 3:
            s.sums[i] = 13
        elif which == 4:
            s.sums[i] = 14
        elif which == 5:
            s.sums[i] = 15
        elif which == 6:
            s.sums[i] = 16
        elif which == 7:
            s.sums[i] = 17
        else:
            s.sums[i] = beside
    return 0


@narrow(32)
def too_large_a_constant(s: Any) -> int:
    return 0x80000000


@narrow(32)
def unsigned_word(s: Any) -> int:
    return s.words[0]


@narrow(16)
def word_of_32_bits(s: Any) -> int:
    return s.sums[0]


@kernel
def over_a_list(s: Any) -> int:
    for i in reversed(range(3)):
        s.n = i
    return 0


def test_narrow_lanes_compute_what_python_computes() -> None:
    module, _ = compiled(add_up)
    rng = np.random.default_rng(5)
    state = np.zeros((), STATE)
    state["words"] = rng.integers(0, 1 << 32, 64, np.uint32) >> rng.integers(0, 32, 64, np.uint32)
    state["words"][:4] = [0, 1, 1 << 31, (1 << 32) - 1]
    state["small"] = rng.integers(-(1 << 15), 1 << 15, 64)
    expected = state.copy()
    seen = add_up(view(expected), -77)
    library = Library(emit(module.whole))
    assert library.function("add_up", 2)(state.ctypes.data, -77) == seen
    assert (state["sums"] == expected["sums"]).all()
    assert np.any(state["sums"])


def test_a_chain_of_cases_takes_no_more_than_the_narrow_local() -> None:
    module = Module(Machine(record(STATE)))
    module.add(by_cases, "by_cases")
    assert "switch i64" in str(module.whole.llvm)
    assert "load i64, i16*" not in str(module.whole.llvm)
    rng = np.random.default_rng(6)
    state = np.zeros((), STATE)
    state["small"] = rng.integers(-3, 9, 64)
    expected = state.copy()
    by_cases(view(expected))
    library = Library(emit(module.whole))
    assert library.function("by_cases", 1)(state.ctypes.data) == 0
    assert (state["sums"] == expected["sums"]).all()


@pytest.mark.parametrize(("function", "bits"), [(add_up, 32), (halves, 16)])
def test_lanes_become_vectors(function: Callable[..., Any], bits: int) -> None:
    _, text = compiled(function)
    assert f"<{512 // bits} x i{bits}>" in text


@pytest.mark.parametrize(
    ("function", "why"),
    [
        (too_large_a_constant, "2147483648 does not fit a signed word of 32 bits"),
        (unsigned_word, "words does not fit a signed word of 32 bits"),
        (word_of_32_bits, "sums does not fit a signed word of 16 bits"),
        (over_a_list, "reversed"),
    ],
)
def test_what_is_no_narrow_kernel_is_refused(function: Callable[..., Any], why: str) -> None:
    with pytest.raises(KernelError, match=f"test_narrow.*{why}"):
        compiled(function)


def test_a_kernel_is_not_of_any_width() -> None:
    with pytest.raises(ValueError, match="not 8"):
        narrow(8)


class Watch:
    """Notes every local of a narrow kernel that leaves its word, while Python runs it."""

    def __init__(self) -> None:
        self.bits: dict[CodeType, int] = {
            function.__code__: function.kernel_bits
            for function in KERNELS.values()
            if function.kernel_bits < WORD_BITS
        }
        self.seen: set[str] = set()
        self.wrong: set[str] = set()

    def __call__(self, frame: FrameType, event: str, value: Any) -> Any:
        bits = self.bits.get(frame.f_code)
        if bits is None:
            return None
        self.seen.add(frame.f_code.co_qualname)
        numbers = {n: x for n, x in frame.f_locals.items() if isinstance(x, int)}
        if event == "return":
            results = value if isinstance(value, tuple) else (value,)
            numbers |= {f"result {i}": x for i, x in enumerate(results)}
        for name, x in numbers.items():
            if not -(1 << (bits - 1)) <= x < 1 << (bits - 1):
                self.wrong.add(f"{frame.f_code.co_qualname}: {name} = {x}")
        return self


@pytest.mark.parametrize("chip", CHIPS)
def test_narrow_kernels_stay_within_their_words(chip: str) -> None:
    engines = Pair(chip, policy=Policy.OFF)  # of its own: what it meets is the same every time
    watch = Watch()
    for name in ("MVMUL", "GAPOOL", "GMPOOL", "ELWADD", "ELWSUB", "ELWMUL"):
        for i, word in enumerate(engines.row_words(name, 16 if name == "GMPOOL" else 4)):
            engines.restart(i)
            for part in ("src_a_valid", "src_b_valid"):
                engines.reference.state.record[part] = 1
            sys.settrace(watch)
            try:
                engines.reference.engine.execute(1, word)
            finally:
                sys.settrace(None)
    assert not watch.wrong
    assert {"accumulate", "sum_products", "pool_columns", "add_rows"} <= watch.seen


@pytest.mark.parametrize(("add", "bits"), [(add_bf16, 16), (add_fp16, 16), (add_fp32, 32)])
def test_the_packers_adders_stay_within_their_words(add: Callable[..., int], bits: int) -> None:
    rng = np.random.default_rng(7)
    top = 1 << (bits - 1)
    ends = (1, 2, 1 << 7, 1 << 10, top >> 8, top >> 5, top - (top >> 8), top - (top >> 5), top)
    odd = [x | sign for end in ends for x in (end - 1, end) for sign in (0, top) if x < top]
    pairs = [(a, b) for a in odd for b in odd]
    pairs += rng.integers(0, 2 * top, (500, 2), np.int64).tolist()
    watch = Watch()
    sys.settrace(watch)
    try:
        sums = [add(a, b) for a, b in pairs]
    finally:
        sys.settrace(None)
    assert not watch.wrong
    assert {"exact_sum", "round_even"} <= watch.seen
    assert all(0 <= total < 2 * top for total in sums)
