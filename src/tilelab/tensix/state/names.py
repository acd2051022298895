"""What users call the parts of the state: each by one name, whatever room of the record it is in.

Kernels see the record as the layout divides it (``s.src[0].valid[bank]``, ``s.vector.late.value``).
Users see the same bytes under flat names (``tile.state.src_a_valid[bank]``, ``state.late_value``),
which snapshots, differences, debuggers and pages have too; they stay when rooms are rebuilt.
"""

from collections.abc import Iterator
from functools import cache
from typing import Any, Final

import numpy as np

from tilelab.tensix.arch import Arch
from tilelab.tensix.state.layout import LAYOUT, layout_of

PLURALS: Final = {"semaphores": "semaphore", "mutexes": "mutex", "gprs": "gpr", "lregs": "lreg"}
"""Other names under which a part of the state is found."""

SRC: Final = "src"
SRC_NAMES: Final = ("src_a", "src_b")
"""What is indexed by SrcA and SrcB, ``src`` and ``src_...``, is two parts that begin so."""
DATA: Final = "data"
"""The part of a record that has the record's own name."""

ROOMS: Final = ("vector",)
"""Records whose parts users find beside all others; what is in a record of a room begins so."""
OTHERWISE: Final = {"matrix": "scratch_matrix", "rotated": "vector_rotated"}
"""What users call parts that do not need their rooms' names within them."""

Named = tuple[str, np.dtype[Any], int]
"""A part by its user's name: its type, and where it begins."""


def _of_src(part: str, kind: np.dtype[Any], start: int) -> Iterator[Named]:
    base, shape = kind.subdtype or (kind, ())
    step = kind.itemsize // len(SRC_NAMES)
    for which, name in enumerate(SRC_NAMES):
        name += part.removeprefix(SRC)
        begin = start + which * step
        if base.fields is None:
            yield name, np.dtype((base, shape[1:])), begin
        else:
            for inner, what, offset in _parts(base):
                yield name if inner == DATA else f"{name}_{inner}", what, begin + offset


def _of_room(room: np.dtype[Any], start: int, begins: str = "") -> Iterator[Named]:
    assert room.fields is not None
    for part, (kind, offset, *_) in room.fields.items():
        if kind.fields is not None:
            yield from _of_room(kind, start + offset, f"{part}_")
        else:
            yield begins + OTHERWISE.get(part, part), kind, start + offset


def _parts(layout: np.dtype[Any]) -> Iterator[Named]:
    assert layout.fields is not None
    for part, (kind, offset, *_) in layout.fields.items():
        base, shape = kind.subdtype or (kind, ())
        if part.split("_")[0] == SRC:
            yield from _of_src(part, kind, offset)
        elif part in ROOMS and kind.fields is not None:
            yield from _of_room(kind, offset)
        else:
            seen = kind if base.fields is None else np.dtype((users_type(base), shape))
            yield OTHERWISE.get(part, part), seen, offset


@cache
def users_type(layout: np.dtype[Any]) -> np.dtype[Any]:
    """The type under which users see a record of the given layout; the bytes are the same."""
    parts = list(_parts(layout))
    return np.dtype(
        {
            "names": [name for name, _, _ in parts],
            "formats": [kind for _, kind, _ in parts],
            "offsets": [offset for _, _, offset in parts],
            "itemsize": layout.itemsize,
        }
    )


def state_type(arch: Arch) -> np.dtype[Any]:
    """The record of a chip's tile, as users see it."""
    return users_type(layout_of(arch))


STATE = users_type(LAYOUT)
"""Blackhole's."""
