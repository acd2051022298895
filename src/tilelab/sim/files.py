"""Files: read whole, up to a limit, and written whole or not at all; folders for a while."""

import os
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from errno import EACCES, EISDIR
from pathlib import Path
from typing import BinaryIO

from tilelab.sim.errors import BadInputError

MIB = 1 << 20
CHUNK = 4 * MIB
LARGEST = 256 * MIB
"""Bytes of the largest file that is read whole."""
TEXT = "utf-8-sig"
"""UTF-8, and the mark that some editors put before it."""


def reason(error: Exception) -> str:
    """Why a file cannot be used: what the system says, without the number and the name."""
    return (isinstance(error, OSError) and error.strerror) or str(error)


@contextmanager
def telling(name: object) -> Iterator[None]:
    """BadInputError of one line, after a name, for what the system says of a file within."""
    try:
        yield
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        raise BadInputError(f"{name}: {reason(error)}") from None


def from_here(path: Path) -> Path:
    """A path as messages name it: from the current folder, if it lies there."""
    here = Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path


def read_file(path: str | Path, limit: int = LARGEST) -> bytes:
    """Read a whole file, once: it may be a pipe.

    BadInputError of one line if it cannot be read, has no possible name or more than ``limit``
    bytes.
    """
    if not isinstance(path, str | os.PathLike):
        raise BadInputError(f"a file is named by a path, not by {path!r}")
    with telling(path), Path(path).open("rb") as file:
        return read_stream(file, str(path), limit)


def read_stream(stream: BinaryIO, name: str, limit: int = LARGEST) -> bytes:
    """Read a stream to its end; BadInputError if that is more than ``limit`` bytes."""
    size = 0
    with suppress(OSError, AttributeError):  # a pipe has no size, a replaced stdin no number
        size = os.fstat(stream.fileno()).st_size
    parts = []
    while size <= limit and (part := stream.read(CHUNK)):
        parts.append(part)
        size = max(size, sum(map(len, parts)))
    if size > limit:
        raise BadInputError(f"{name}: is larger than {limit // MIB} MiB")
    return b"".join(parts)


@contextmanager
def writing(path: Path) -> Iterator[Path]:
    """Yields where to write what ``path`` is to hold; it is put there when all is well.

    That is a new, empty file beside it, so that a reader sees the old or the whole new one, and a
    failure leaves nothing. A device or a pipe is written directly, and so is a file in a folder
    that takes no new ones. BadInputError of one line if that cannot be done: at once where it can
    be known.
    """
    with telling(path):
        target, at = _draft(path)
    try:
        yield at
        if at != target:
            at.replace(target)
    except OSError as error:
        raise BadInputError(f"{path}: {reason(error)}") from None
    finally:
        if at != target:
            with suppress(OSError):
                at.unlink(missing_ok=True)


def write_whole(path: Path, content: str | bytes) -> None:
    """Write a file as :func:`writing` does; text as UTF-8, without what that has no room for."""
    data = content if isinstance(content, bytes) else content.encode(errors="replace")
    with writing(path) as at:
        at.write_bytes(data)


def check_writable(path: Path | None) -> None:
    """BadInputError of one line if :func:`writing` could not write there; nothing is changed.

    For those who know only after long work whether, or what, they write.
    """
    if path is None:
        return
    with telling(path):
        if path.is_dir():
            raise IsADirectoryError(EISDIR, os.strerror(EISDIR))
        folder = path.resolve().parent
        folder.stat()  # OSError says why it is not there
        if not os.access(path if path.exists() else folder, os.W_OK):
            raise PermissionError(EACCES, os.strerror(EACCES))


def check_folder(folder: Path) -> None:
    """BadInputError of one line if :func:`make_folder` could not make it; nothing is changed."""
    with telling(folder):
        if folder.exists() and not folder.is_dir():
            raise BadInputError(f"{folder}: is not a folder")
        if not folder.absolute().parent.is_dir():
            raise BadInputError(f"{folder}: there is no folder {folder.parent}")


def make_folder(folder: Path) -> None:
    """Make a folder if it is not there. The one around it must be: its name may be mistyped.

    BadInputError of one line if that cannot be done.
    """
    check_folder(folder)
    with telling(folder):
        folder.mkdir(exist_ok=True)


@contextmanager
def folder_meanwhile(prefix: str) -> Iterator[Path]:
    """A new folder, which is gone afterwards, even if this process is killed.

    A shell sees to that: it holds the other end of a pipe, from before the folder is there, for a
    signal may come between any two steps here. Windows has none such.
    """
    if os.name != "posix":
        with tempfile.TemporaryDirectory(prefix=prefix) as made:
            yield Path(made)
        return
    folder = Path(tempfile.gettempdir(), prefix + os.urandom(8).hex())
    with subprocess.Popen(
        ["/bin/sh", "-c", 'read -r _; exec rm -rf -- "$0"', str(folder)],
        stdin=subprocess.PIPE,
        start_new_session=True,  # an interrupt of the terminal is not for it
    ) as keeper:
        try:
            folder.mkdir(mode=0o700)
            yield folder
        finally:
            keeper.communicate(b"\n")  # a forked process may hold the end of the pipe, too


def _draft(path: Path) -> tuple[Path, Path]:
    """The file that a path leads to, and where to write it; OSError if that is not possible."""
    target = path.resolve()
    if path.exists():
        if path.is_dir():
            raise IsADirectoryError(EISDIR, os.strerror(EISDIR))
        if not os.access(path, os.W_OK):
            raise PermissionError(EACCES, os.strerror(EACCES))
        if not path.is_file() or path.absolute().parts[1:2] in (("dev",), ("proc",)):
            return path, path  # /dev/stdout may be a file: it is the shell's, which holds it open
    at = target.with_name(f".{os.urandom(4).hex()}-{target.name}"[-200:])
    try:
        at.open("xb").close()
    except OSError:
        if not target.exists():
            raise
        target.open("wb").close()
        return target, target
    return target, at
