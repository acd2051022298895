"""What a program says it does with circular buffers, and where: notes of our headers in its ELF."""

import struct
from collections.abc import Iterable
from enum import IntEnum
from typing import Final, NamedTuple

NOTES = ".tilelab_notes"
"""The section; nothing loads it."""
ANY_BUFFER: Final = 255
"""A buffer's number that is known at run time only."""
_NOTE = struct.Struct("<IBBxx")


class Does(IntEnum):
    """What code does with a buffer: as ``enum class Note`` of circular_buffers.h numbers it."""

    POPS = 0
    PUSHES = 1
    PREPARES_UNPACK_A = 2
    UNPACKS_A = 3
    PREPARES_UNPACK_B = 4
    UNPACKS_B = 5
    PREPARES_PACK = 6
    PACKS = 7


class BufferNote(NamedTuple):
    """Code at an address does something with a circular buffer, maybe ANY_BUFFER."""

    address: int
    does: int
    buffer: int


def read_notes(sections: Iterable[bytes]) -> tuple[BufferNote, ...]:
    """The notes in sections' contents; a cut-off one is none."""
    whole = b"".join(data[: len(data) // _NOTE.size * _NOTE.size] for data in sections)
    return tuple(BufferNote(*each) for each in _NOTE.iter_unpack(whole))
