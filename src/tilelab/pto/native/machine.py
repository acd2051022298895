"""The compiled kernel's cores, run one stop at a time through ctypes; one in a process."""

import ctypes
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tilelab.pto.native.build import Built
from tilelab.sim.errors import MachineError, TilelabError

CUBE, VEC0, VEC1, HOST = range(4)
(OP, SET_FLAG, WAIT_FLAG, BARRIER, ERROR, GET_BUF, RLS_BUF) = range(1, 8)
(OPEN, CLOSE, PUSH, POP, MOVED, ALLOC, PUSH_GLOBAL, POP_GLOBAL, FREE, FREE_GLOBAL) = range(10, 20)
(RAW_WAIT, RAW_SIGNAL, HOST_ALLOC, HOST_FREE, HOST_WRITE, HOST_LAUNCH, SYNC_ALL) = range(20, 27)


class KernelCrash(MachineError):  # noqa: N818
    """A compiled kernel or its host ended itself: an assertion, an exception, a bad pointer."""


class Entry(NamedTuple):
    """One record: its kind, the return address in the kernel, its words."""

    kind: int
    where: int
    words: tuple[int, ...]


class Machine:
    """The libraries, loaded; the second Vector core's is a copy, so that statics are its own."""

    def __init__(self, built: Built, folder: Path) -> None:
        self.runtime = ctypes.CDLL(str(built.runtime), mode=ctypes.RTLD_GLOBAL)
        self._declare()
        if self.runtime.tl_start_up():
            raise TilelabError("no room below 4 GiB for the cores' memories")
        copy = folder / "vec1.so"
        shutil.copy(built.vec, copy)
        self.files = (built.cube, built.vec, copy)
        self.libraries = []
        for which, file in enumerate(self.files):
            self.runtime.tl_collect(which)
            self.libraries.append(ctypes.CDLL(str(file), mode=ctypes.RTLD_LOCAL))
        self.runtime.tl_collect(-1)
        self.place_bytes = self.runtime.tl_place_bytes()
        self._texts: dict[int, str] = {}

    def _declare(self) -> None:
        runtime = self.runtime
        int64, pointer = ctypes.c_int64, ctypes.c_void_p
        runtime.tl_place.restype = pointer
        runtime.tl_place_bytes.restype = int64
        runtime.tl_entry.restype = pointer
        runtime.tl_entry.argtypes = [ctypes.c_int, ctypes.c_char_p]
        runtime.tl_begin.argtypes = [ctypes.c_int, pointer, pointer]
        runtime.tl_resume.argtypes = [ctypes.c_int, int64]
        runtime.tl_log.restype = ctypes.POINTER(int64)
        runtime.tl_log_words.restype = int64

    def place(self, lane: int, place: int) -> int:
        """The address of a core's memory."""
        return int(self.runtime.tl_place(lane, place))

    def text(self, pointer: int) -> str:
        """A C string, kept."""
        known = self._texts.get(pointer)
        if known is None:
            raw = ctypes.cast(pointer, ctypes.c_char_p).value or b""
            known = self._texts[pointer] = raw.decode("utf-8", "replace")
        return known

    def entry(self, core: int, name: str) -> int | None:
        """The kernel's entry in a core's library."""
        found = self.runtime.tl_entry(core, name.encode())
        return int(found) if found else None

    def begin(self, core: int, entry: int, argument: int) -> None:
        """Put a core at its entry."""
        self.runtime.tl_begin(core, entry, argument)

    def resume(self, core: int, reply: int = 0) -> tuple[list[Entry], bool]:
        """Run a core to its next stop: its records, and whether it goes on after them."""
        alive = bool(self.runtime.tl_resume(core, reply))
        count = self.runtime.tl_log_words(core)
        words = self.runtime.tl_log(core)[:count] if count else []
        return list(_entries(words)), alive

    def bytes_at(self, address: int, nbytes: int) -> bytes:
        """A copy of memory."""
        return ctypes.string_at(address, nbytes)

    def array(self, address: int, nbytes: int) -> NDArray[np.uint8]:
        """Memory as it is, not copied."""
        return np.ctypeslib.as_array((ctypes.c_uint8 * nbytes).from_address(address))

    def clear(self) -> None:
        """Zero every local memory."""
        self.runtime.tl_clear_places()


def _entries(words: list[int]) -> Iterator[Entry]:
    at = 0
    while at < len(words):
        count = words[at + 1]
        yield Entry(words[at], words[at + 2], tuple(words[at + 3 : at + 3 + count]))
        at += 3 + count
