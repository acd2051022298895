"""Files that save doing something again: where they are, and how they are written and trusted.

A file begins with the hash of the rest: machine code must not be run damaged. ``TILELAB_CACHE``
names the folder; without it, the user's cache folder is taken. It holds :data:`LIMIT_BYTES`: beyond
that, what was used longest ago goes. Every edit makes new files, and nobody ever asks for the old
ones again.

What is kept is machine code, and run: where the system has owners and modes, a file is used only
if nobody but this user and root could have written it (:func:`check_trusted`).
"""

import hashlib
import os
import re
import shutil
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from errno import ENOENT, EPERM
from functools import cache
from pathlib import Path
from typing import Literal, NamedTuple

try:
    import fcntl
except ImportError:  # Windows has none
    fcntl = None  # type: ignore[assignment]

CHECK_BYTES = hashlib.sha256().digest_size
LIMIT_BYTES = 2 << 30
REST_SECONDS = 3600
"""How often the cache is looked over; what was used since the last time stays in any case."""

OTHERS_WRITE = 0o022
"""The bits of a mode by which a group's members or anybody may write."""
ROOT = 0

Room = Literal["code", "tallies", "lines", "kernels", "pto"]
ROOMS: dict[Room, tuple[str, str]] = {
    "code": ("", ".o"),
    "tallies": ("tallies", ""),
    "lines": ("lines", ""),
    "kernels": ("kernels", ""),
    "pto": ("pto", ""),
}
"""What is kept: in which folder, and how its names end."""
STAMP = "looked-over"
"""The file whose time says when that was."""
LOCKS = "being-made"
"""The file of which a byte is locked for each thing that a process is making."""
NAME = re.compile(r"[0-9a-f]{24,64}(-[0-9a-f]{8})?")
"""A hash; with a tail, a draft of it. Nothing else is the cache's to remove."""


class UntrustedError(OSError):
    """Others may write, or have written, what is in the cache."""


class Entry(NamedTuple):
    """Something kept: when it was used last (seconds since 1970), its bytes, where it is."""

    used: float
    size: int
    path: Path


def cache_folder() -> Path:
    """Where compiled code is kept; OSError if the user has no home for it."""
    if named := os.environ.get("TILELAB_CACHE"):
        return Path(named)
    if base := os.environ.get({"win32": "LOCALAPPDATA"}.get(sys.platform, "XDG_CACHE_HOME")):
        return Path(base) / "tilelab"
    try:
        home = Path.home()
    except RuntimeError:
        raise FileNotFoundError(ENOENT, "there is no home folder", "the user's cache") from None
    inside = {"win32": "", "darwin": "Library/Caches"}.get(sys.platform, ".cache")
    return home / inside / "tilelab"


def place(room: Room, name: str) -> Path:
    """Where what is called so, a hash, is kept."""
    folder, suffix = ROOMS[room]
    return cache_folder() / folder / f"{name}{suffix}"


def _trust(path: Path, about: os.stat_result) -> None:
    if os.name != "posix":
        return
    why = ""
    if about.st_uid not in (os.geteuid(), ROOT):
        why = f"it belongs to another user, number {about.st_uid}"
    elif about.st_mode & OTHERS_WRITE:
        why = f"others may write to it (mode {about.st_mode & 0o7777:04o}; chmod go-w)"
    if why:
        raise UntrustedError(EPERM, f"code from it would be run, and {why}", str(path))


def check_trusted(path: Path) -> None:
    """UntrustedError unless only this user or root may write a file of the cache; OSError if none.

    It, and the folders that it is in, up to the cache's own: whoever may write there may put
    another file in its place. Windows keeps a user's cache from others by itself.
    """
    for at in (path, *path.parents):
        _trust(at, at.stat())
        if at == cache_folder():
            return


def make_folder(path: Path) -> None:
    """Make a folder of the cache, and those it is in, which others cannot write to, ours or not.

    UntrustedError if one that is there could be written to by others; OSError.
    """
    for at in (*reversed(path.parents), path):
        if not at.is_dir():
            with suppress(FileExistsError):
                at.mkdir(0o777 & ~OTHERS_WRITE)
    check_trusted(path)


def close_to_others(path: Path) -> None:
    """Take the right to write from others: of a file that a compiler has just made."""
    path.chmod(path.stat().st_mode & 0o7777 & ~OTHERS_WRITE)


def entries(folder: Path) -> Iterator[Entry]:
    """What a cache holds, drafts that nobody finished included."""
    for inside, suffix in ROOMS.values():
        with suppress(OSError):
            for path in (folder / inside).iterdir():
                if path.suffix in (suffix, ".new") and NAME.fullmatch(path.stem):
                    with suppress(OSError):  # another process has removed it
                        yield Entry(path.stat().st_mtime, _size(path), path)


def _size(path: Path) -> int:
    files = path.rglob("*") if path.is_dir() else (path,)
    return sum(file.stat().st_size for file in files)


def mark(path: Path) -> None:
    """Say that something kept has just been used."""
    with suppress(OSError):
        os.utime(path)


def look_over() -> None:
    """Remove what was used longest ago, beyond the limit; does nothing if that was done lately."""
    folder, now = cache_folder(), time.time()
    stamp = folder / STAMP
    with suppress(OSError):
        if abs(now - stamp.stat().st_mtime) < REST_SECONDS:
            return
    with suppress(OSError):
        stamp.touch()
        found = sorted(entries(folder))
        excess = sum(entry.size for entry in found) - LIMIT_BYTES
        for entry in found:
            if excess <= 0 or now - entry.used < REST_SECONDS:
                break
            _remove(entry.path)
            excess -= entry.size


def _remove(path: Path) -> None:
    if path.is_dir():
        shutil.rmtree(path, ignore_errors=True)
    else:
        with suppress(OSError):  # Windows keeps files that are open
            path.unlink()


def kept(path: Path) -> bytes | None:
    """What a file of the cache holds; None if it is damaged, OSError if there is none.

    UntrustedError if others may have written it.
    """
    check_trusted(path.parent)
    with path.open("rb") as file:
        _trust(path, os.fstat(file.fileno()))
        content = file.read()
    mark(path)
    check, image = content[:CHECK_BYTES], content[CHECK_BYTES:]
    return image if hashlib.sha256(image).digest() == check else None


@contextmanager
def alone(name: str) -> Iterator[None]:
    """Let no other process make what is called so, a hash, meanwhile: wait until it has.

    Where files cannot be locked, both make it, and one of them is kept.
    """
    with ExitStack() as stack:
        with suppress(OSError):
            make_folder(cache_folder())
            if fcntl:  # a byte for each name
                file, byte = _locks(cache_folder() / LOCKS), int(name[:8], 16)
                fcntl.lockf(file, fcntl.LOCK_EX, 1, byte)
                stack.callback(fcntl.lockf, file, fcntl.LOCK_UN, 1, byte)
        yield


@cache
def _locks(path: Path) -> int:
    """The file whose bytes are locked; it stays open, for closing it gives back all its bytes."""
    return _private(str(path), os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC)


def keep(path: Path, image: bytes) -> None:
    """Write a file so that readers see it whole or not at all.

    The umask says who may read it; nobody else may write it. OSError if that cannot be done. What
    is too much of the rest goes.
    """
    look_over()
    make_folder(path.parent)
    draft = path.with_name(f"{path.stem}-{os.urandom(4).hex()}.new")
    try:
        with open(draft, "xb", opener=_private) as file:
            file.write(hashlib.sha256(image).digest() + image)
        draft.replace(path)
    except OSError:
        with suppress(OSError):
            draft.unlink(missing_ok=True)
        raise


def tally(name: str, more: int = 0) -> int:
    """How often something has happened, in all processes, and ``more`` now; 0 without a cache.

    A file has as many bytes: those that several processes append at once all count.
    """
    path = place("tallies", name)
    try:
        if not more:
            return path.stat().st_size
        make_folder(path.parent)
        with open(path, "ab", opener=_private) as file:
            file.write(bytes(more))
            return file.tell()
    except OSError:
        return 0


def _private(name: str, flags: int) -> int:
    return os.open(name, flags, 0o666 & ~OTHERS_WRITE)
