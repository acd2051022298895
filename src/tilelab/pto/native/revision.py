"""Whether a checkout's TPUSH and TPOP are those that the protocol ``sparse`` was written after."""

import hashlib
import re
from pathlib import Path

MODELLED = "3186c381"
_FILES = ("TPush.hpp", "TPop.hpp", "TAlloc.hpp")
# Of the files' text without comments and white space, at that commit of hw-native-sys/pto-isa.
_KNOWN = {"a2a3": "86c26230e5c8d069", "a5": "1069fd340bac7a65"}
_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)


def unknown(isa: Path, arch: str) -> str:
    """What to say of a checkout whose pipes are other ones; "" where they are those, or none."""
    folder = isa / "include" / "pto" / "npu" / arch
    try:
        texts = [(folder / name).read_text(encoding="utf-8", errors="replace") for name in _FILES]
    except OSError:
        return ""
    bare = "".join(re.sub(r"\s+", "", _COMMENT.sub("", text)) for text in texts)
    if hashlib.sha256(bare.encode()).hexdigest()[:16] == _KNOWN[arch]:
        return ""
    return (
        f"{folder / _FILES[0]} and its like are not those of {MODELLED}, which the protocol sparse "
        "is written after: --protocol library takes the credits from the files themselves"
    )
