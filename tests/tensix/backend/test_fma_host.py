"""The multiply-add by the processor's own gives the same bits wherever it is not in doubt."""

import os
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tilelab.kernelpy.build import Library, emit, fuses
from tilelab.kernelpy.layout import record
from tilelab.kernelpy.machine import Machine
from tilelab.kernelpy.module import Module
from tilelab.sim.kernel import fused, kernel, narrow
from tilelab.sim.record import record_type
from tilelab.tensix.arch import ARCHES
from tilelab.tensix.backend.vector_unit.fma import fma_lanes, fma_sum
from tilelab.tensix.backend.vector_unit.fma_host import doubts, flushed, sum_lanes_fused

CASES = int(os.environ.get("TILELAB_FMA_CASES", "4000000"))
"""Random cases for each chip; 1,000,000,000 were run once."""
NOTES = record_type([("sure", "<i8")])
CHIPS = ("blackhole", "wormhole")
EDGES = (
    0,
    1,
    0x400000,
    0x7FFFFF,
    0x7FFFFE,
    0x800000,
    0x3F800000,
    0x7F7FFFFF,
    0x7F800000,
    0x7FC00000,
)
needs_fma = pytest.mark.skipif(not fuses(), reason="this processor has no fused multiply-add")


def signed(x: int) -> int:
    return x - ((x & 0x80000000) << 1)


words = (
    st.integers(0, 0xFFFFFFFF)
    | st.sampled_from(EDGES)
    | st.integers(0, 0xFFFF).map(lambda x: x << 16)
)


@pytest.mark.parametrize("ieee", [0, 1])
@given(x=words, y=words, z=words, near=st.integers(-32, 32) | st.none())
def test_what_is_not_in_doubt_is_the_sum(
    ieee: int, x: int, y: int, z: int, near: int | None
) -> None:
    if near is not None:
        exponent = (x >> 23 & 255) + (y >> 23 & 255) - 127 + near
        z = z & 0x807FFFFF | min(max(exponent, 0), 254) << 23
    x, y, z = (flushed(signed(each)) for each in (x, y, z))
    total = fused(x, y, z)
    if not doubts(ieee, x, y, z, total):
        wanted = total if ieee or total & 0x7FFFFFFF else 0
        assert fma_sum(ieee, x, y, z) == wanted


@narrow(32)
def differs(ieee: int, x: int, y: int, z: int) -> int:
    """1 if the processor's sum is in doubt, 2 if it is not and is another than ours."""
    x = flushed(x)
    y = flushed(y)
    z = flushed(z)
    total = fused(x, y, z)
    if doubts(ieee, x, y, z, total):
        return 1
    wanted = total if ieee or total & 0x7FFFFFFF else 0
    return 0 if fma_sum(ieee, x, y, z) == wanted else 2


@kernel
def next_random(x: int) -> int:
    """xorshift of 63 bits."""
    x ^= (x << 13) & 0x7FFFFFFFFFFFFFFF
    x ^= x >> 7
    return x ^ (x << 17) & 0x7FFFFFFFFFFFFFFF


@kernel
def number(random: int, exponent: int) -> int:
    """A number with about this exponent and a mantissa of one of four kinds."""
    mantissa = random & 0x7FFFFF
    kind = random >> 24 & 3
    if kind == 1:
        mantissa &= 0x7F0000
    elif kind == 2:
        mantissa &= 0x600000
    elif kind == 3:
        mantissa |= 0x7FFF00
    exponent = min(max(exponent + (random >> 27 & 63) - 32, 0), 255)
    word = (random >> 33 & 1) << 31 | exponent << 23 | mantissa
    return word - ((word & 0x80000000) << 1)


@kernel
def search(s: Any, ieee: int, count: int, seed: int) -> int:
    """The first of random cases that differs, from 1 on; 0 if there is none."""
    random = seed
    sure = 0
    for i in range(count):
        random = next_random(random)
        wide = random & 0xFF if random >> 40 & 15 == 0 else 127
        x = number(random, wide)
        random = next_random(random)
        y = number(random, 127)
        random = next_random(random)
        near = ((x >> 23) & 255) + ((y >> 23) & 255) - 127
        z = number(random, 0 if random >> 40 & 7 == 0 else near)
        found = differs(ieee, x, y, z)
        if found == 2:
            return i + 1
        sure += 1 - found
    s.sure = sure
    return 0


def compiled(function: Callable[..., int]) -> Library:
    """Machine code of one of these kernels."""
    module = Module(Machine(record(NOTES)))
    module.add(function, function.__name__)
    return Library(emit(module.whole))


@needs_fma
@pytest.mark.parametrize("ieee", [0, 1])
def test_random_numbers_sum_to_the_same_bits(ieee: int) -> None:
    state = np.zeros((), NOTES)
    library = compiled(search)
    code = library.function("search", 4)
    assert code(state.ctypes.data, ieee, CASES, 0x1234567890ABCDE) == 0
    assert state["sure"] > CASES // 5


@narrow(32)
def its_own(s: Any, x: int, y: int, z: int) -> int:
    """The processor's."""
    return fused(x, y, z)


@needs_fma
def test_the_processors_own_is_what_python_says() -> None:
    library = compiled(its_own)
    own = library.function("its_own", 4)
    nan = 0x7F800000

    @given(x=words, y=words, z=words)
    def same(x: int, y: int, z: int) -> None:
        ours = fused(signed(x), signed(y), signed(z)) & 0xFFFFFFFF
        its = own(0, signed(x), signed(y), signed(z)) & 0xFFFFFFFF
        special = any(each & nan == nan for each in (x, y, z))
        assert its == ours or (special and its & nan == nan)

    same()


@pytest.mark.parametrize("chip", CHIPS)
@given(operands=st.lists(st.tuples(words, words, words), min_size=32, max_size=32))
def test_a_vector_without_doubt_is_that_of_the_reference(
    chip: str, operands: list[tuple[int, int, int]]
) -> None:
    x, y, z = (list(column) for column in zip(*operands, strict=True))
    z = [0] * 32 if z[0] & 1 else z
    views: list[Any] = [
        SimpleNamespace(arch=ARCHES[chip], scratch_32=[0] * 32 + x + y + z, scratch_signed=[0] * 32)
        for _ in range(2)
    ]
    fma_lanes(views[0])
    if not sum_lanes_fused(views[1]):
        assert views[0].scratch_32[:32] == [each & 0xFFFFFFFF for each in views[1].scratch_signed]
