"""Debugging data that were read before, taken from the cache: to read them takes longest of all."""

import hashlib
import json
from contextlib import suppress
from functools import cache
from importlib import import_module
from pathlib import Path

import elftools

from tilelab.elf.frames import DebugInfo
from tilelab.sim.cache import keep, kept, place


@cache
def _reader() -> bytes:
    """What reads them: a change of it may find something else."""
    texts = [Path(__file__).with_name(f"{name}.py").read_bytes() for name in ("dwarf", "frames")]
    return hashlib.sha256(elftools.__version__.encode() + b"".join(texts)).digest()


def debug_info(image: bytes, code: list[tuple[int, int]]) -> DebugInfo:
    """An ELF's debugging data, as :mod:`tilelab.elf.dwarf` reads them, once.

    The reader is only imported if it is needed.
    """
    facts = hashlib.sha256(_reader() + repr(code).encode()).digest()
    path = None
    with suppress(OSError):  # there is none yet, or no cache, or others may have written it
        path = place("lines", hashlib.sha256(facts + image).hexdigest()[:32])
        if found := kept(path):
            return DebugInfo.of_document(json.loads(found), code)
    made: DebugInfo = import_module("tilelab.elf.dwarf").ReadDebugInfo(image, code)
    if path is not None:
        with suppress(OSError):  # it is read anew next time
            keep(path, json.dumps(made.document(), separators=(",", ":")).encode())
    return made
