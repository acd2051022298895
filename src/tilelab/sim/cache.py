"""Files that save doing something again: where they are, and how they are written and trusted.

A file begins with the hash of the rest: machine code must not be run damaged. ``TILELAB_CACHE``
names the folder; without it, the user's cache folder is taken.
"""

import hashlib
import os
import secrets
import sys
from contextlib import suppress
from errno import ENOENT
from pathlib import Path

CHECK_BYTES = hashlib.sha256().digest_size


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


def kept(path: Path) -> bytes | None:
    """What a file of the cache holds; None if it is damaged, OSError if there is none."""
    content = path.read_bytes()
    check, image = content[:CHECK_BYTES], content[CHECK_BYTES:]
    return image if hashlib.sha256(image).digest() == check else None


def keep(path: Path, image: bytes) -> None:
    """Write a file so that readers see it whole or not at all, open to whom the umask lets.

    OSError if that cannot be done.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f"{path.stem}-{secrets.token_hex(4)}.new")
    try:
        with draft.open("xb") as file:
            file.write(hashlib.sha256(image).digest() + image)
        draft.replace(path)
    except OSError:
        with suppress(OSError):
            draft.unlink(missing_ok=True)
        raise
