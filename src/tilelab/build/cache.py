"""Keeps what was built, by everything that it was built from, beside the fast engine's code."""

import hashlib
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

import tilelab
from tilelab.sim import cache


def key(parts: Iterable[str | bytes]) -> str:
    """The name of what is built from these parts."""
    digest = hashlib.sha256()
    for part in parts:
        content = part.encode() if isinstance(part, str) else part
        digest.update(len(content).to_bytes(8, "little") + content)
    return digest.hexdigest()[:40]


def kept(name: str) -> bytes | None:
    """What is kept under the name; None unless it is there and as it was written."""
    try:
        return cache.kept(cache.place("kernels", name))
    except OSError:
        return None


def keep(name: str, image: bytes) -> None:
    """Keep something so that readers see it whole or not at all; without a folder, do without."""
    with suppress(OSError):
        cache.keep(cache.place("kernels", name), image)


def kept_object(out: Path, parts: Iterable[str | bytes], make: Callable[[], bool]) -> bool:
    """Have an object file where it is wanted: True if it was kept, from before, of these parts.

    Else ``make`` puts it there, and says whether it is to be kept.
    """
    own = [path.read_bytes() for path in sorted(Path(__file__).parent.rglob("*.py"))]
    name = key([tilelab.__version__, *parts, *own])
    if (image := kept(name)) is not None:
        out.write_bytes(image)
        return True
    if make():
        keep(name, out.read_bytes())
    return False
