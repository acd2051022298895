"""Places in a tile's state by name: ``dst[3]``, ``semaphore[2].value``, ``l1[0x21000:64]``.

The names are those of ``tile.state``; a range of L1 is its address and how many bytes.
"""

import re
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from tilelab.sim.errors import BadInputError
from tilelab.tensix.state import TensixState
from tilelab.tensix.state.names import PLURALS
from tilelab.tensix.state.stop_notes import L1, MAX_WORDS, RECORD

WORD_BYTES: Final = 4
_NAME = re.compile(r"\s*([A-Za-z_]\w*)\s*")
_INDEX = re.compile(r"\s*\[([^\]]*)\]\s*")
_SHORT: Final = {"sem": "semaphore", "cfg": "config", "l": "lreg", "thcfg": "thread_config"}


@dataclass(frozen=True)
class Place:
    """Bytes of the state record or of L1, and what they are called."""

    name: str
    space: int
    start: int
    size: int
    kind: np.dtype[Any]
    """What the bytes hold."""

    def read(self, state: TensixState) -> bytes:
        """Return the bytes as they are now."""
        return self._bytes(state).tobytes()

    def write(self, state: TensixState, data: bytes) -> None:
        """Make the bytes these."""
        self._bytes(state)[:] = np.frombuffer(data, np.uint8)

    def _bytes(self, state: TensixState) -> npt.NDArray[np.uint8]:
        memory = state.l1 if self.space == L1 else state.record.reshape(1).view(np.uint8)
        return memory[self.start : self.start + self.size]

    def value(self, state: TensixState) -> Any:
        """Return what is there now, as NumPy gives it."""
        raw = np.frombuffer(self.read(state), np.uint8).copy()
        base, shape = self.kind.subdtype or (self.kind, ())
        return raw.view(base).reshape(shape)[()] if base.itemsize * _count(shape) else raw


def _count(shape: tuple[int, ...]) -> int:
    return int(np.prod(shape, dtype=int))


def place(text: str, state: TensixState) -> Place:
    """Find a place by its name; BadInputError if there is none of that name."""
    match = _NAME.match(text)
    if match is None:
        raise BadInputError(f"{text.strip()!r} names no part of the state")
    if match[1].lower() == "l1":
        return _in_l1(text, text[match.end() :], state)
    name = _SHORT.get(match[1].lower(), match[1])
    kind: np.dtype[Any] = state.record.dtype
    start, rest, first = 0, text[match.end() :], True
    while True:
        kind, offset = _field(text, kind, PLURALS.get(name, name) if first else name)
        start += offset
        while match := _INDEX.match(rest):
            kind, offset = _element(text, kind, match[1])
            start, rest = start + offset, rest[match.end() :]
        first = False
        if not rest.strip():
            return _checked(Place(text.strip(), RECORD, start, kind.itemsize, kind))
        match = _NAME.match(rest[1:]) if rest.startswith(".") else None
        if match is None:
            raise BadInputError(f"{text.strip()!r}: {rest.strip()!r} is not understood")
        name, rest = match[1], rest[1 + match.end() :]


def _checked(found: Place) -> Place:
    if found.size > WORD_BYTES * (MAX_WORDS - 2):
        raise BadInputError(f"{found.name} is {found.size} bytes: name a smaller part")
    return found


def _field(text: str, kind: np.dtype[Any], name: str) -> tuple[np.dtype[Any], int]:
    if kind.fields is None or name not in kind.fields:
        names = ", ".join(n for n in kind.names or () if not n.startswith("scratch"))
        offer = f": choose from {names}" if names else ""
        raise BadInputError(f"{text.strip()!r}: there is no {name}{offer}")
    found, offset, *_ = kind.fields[name]
    return found, int(offset)


def _element(text: str, kind: np.dtype[Any], index: str) -> tuple[np.dtype[Any], int]:
    base, shape = kind.subdtype or (kind, ())
    parts = [_number(text, part) for part in index.split(",")]
    if len(parts) > len(shape):
        raise BadInputError(f"{text.strip()!r}: {len(parts)} indices, where {len(shape)} are taken")
    offset, size = 0, kind.itemsize
    for part, length in zip(parts, shape, strict=False):
        if not 0 <= part < length:
            raise BadInputError(f"{text.strip()!r}: {part} is not below {length}")
        size //= length
        offset += part * size
    left = shape[len(parts) :]
    return (np.dtype((base, left)) if left else base), offset


def _in_l1(text: str, rest: str, state: TensixState) -> Place:
    match = _INDEX.fullmatch(rest)
    if match is None:
        raise BadInputError(f"{text.strip()!r}: write a range of L1 as l1[ADDRESS:BYTES]")
    start, _, count = match[1].partition(":")
    at, size = _number(text, start), _number(text, count) if count else WORD_BYTES
    if at < 0 or size <= 0 or at + size > len(state.l1):
        raise BadInputError(f"{text.strip()!r} is not within L1")
    if size == WORD_BYTES:
        kind: np.dtype[Any] = np.dtype("<u4")
    else:
        kind = np.dtype(("<u4", (size // 4,)) if size % 4 == 0 else ("u1", (size,)))
    return _checked(Place(text.strip(), L1, at, size, kind))


def _number(text: str, part: str) -> int:
    try:
        return int(part.strip(), 0)
    except ValueError:
        raise BadInputError(f"{text.strip()!r}: {part.strip()!r} is no number") from None
