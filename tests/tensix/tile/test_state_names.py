"""The names of the state: users' are flat and stay, and mean the same bytes as the kernels'."""

import numpy as np
import pytest

from tilelab.sim.errors import BadInputError
from tilelab.tensix.arch import ARCHES
from tilelab.tensix.state import TensixState, state_type
from tilelab.tensix.state.layout import layout_of
from tilelab.tensix.tile.tile import Tile


def covered(kind: np.dtype[np.void], start: int = 0) -> list[tuple[int, int]]:
    """Where each array of numbers of a record begins, and how many bytes it has."""
    base, shape = kind.subdtype or (kind, ())
    if base.fields is None:
        return [(start, kind.itemsize)]
    count = int(np.prod(shape, dtype=int))
    return [
        part
        for i in range(count)
        for inner, offset, *_ in base.fields.values()
        for part in covered(inner, start + i * base.itemsize + offset)
    ]


def merged(parts: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """As few pieces as are needed; they must not overlap."""
    found: list[tuple[int, int]] = []
    for start, size in sorted(parts):
        assert not found or sum(found[-1]) <= start, "two parts have one byte"
        if found and sum(found[-1]) == start:
            start, size = found[-1][0], found.pop()[1] + size
        found.append((start, size))
    return found


@pytest.mark.parametrize("chip", ARCHES)
def test_users_names_mean_every_byte_that_kernels_see_and_no_other(chip: str) -> None:
    layout, seen = layout_of(ARCHES[chip]), state_type(ARCHES[chip])
    assert seen.itemsize == layout.itemsize
    assert merged(covered(seen)) == merged(covered(layout))


def test_what_a_kernel_writes_is_found_under_the_users_name() -> None:
    state = TensixState(ARCHES["blackhole"])
    before = state.snapshot()
    state.s.src[1].data[1, 63, 15] = 7
    state.s.src[0].valid[1] = 1
    state.s.rwc[2].src_cr[1] = 5
    state.s.vector.late.flags = 9
    assert sorted(state.diff(before)) == [
        ("late_flags", 0, 9),
        ("rwc[2].src_b_cr", 0, 5),
        ("src_a_valid[1]", 0, 1),
        ("src_b[1, 63, 15]", 0, 7),
    ]
    state.src_b_matrix_bank = 1
    assert state.s.src[1].matrix_bank == 1


def test_a_snapshot_is_restored() -> None:
    state = TensixState(ARCHES["wormhole"])
    before = state.snapshot()
    state.lreg[3, 4] = state.src_b_valid[1] = 1
    assert len(state.diff(before)) == 2
    state.restore(before)
    assert state.diff(before) == []
    assert state.s.vector.lreg[3, 4] == 0, "kernels see it too"


def test_a_state_with_other_parts_is_refused_in_one_line() -> None:
    tile = Tile()
    for other in (Tile("wormhole").state.snapshot(), tile.state.record.tobytes()):
        saved = tile.__getstate__() | {"record": other}
        with pytest.raises(BadInputError, match="saved by another version of tilelab") as caught:
            tile.__setstate__(saved)
        assert "\n" not in str(caught.value)
