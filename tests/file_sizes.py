"""Refuse Python files of more than 400 lines: each is a room that wants a wall."""

import sys
from pathlib import Path

LIMIT = 400
ROOT = Path(__file__).resolve().parent.parent
TABLES = ROOT / "src" / "tilelab" / "tensix" / "tables"


def too_long() -> list[str]:
    """Files over the limit; instruction tables, one row a line, are exempt."""
    files = [
        path for part in ("src", "tests", "benchmarks") for path in (ROOT / part).rglob("*.py")
    ]
    lengths = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in files}
    return [
        f"{path.relative_to(ROOT)}: {length} lines"
        for path, length in sorted(lengths.items())
        if length > LIMIT and path.parent != TABLES
    ]


if __name__ == "__main__":
    if found := too_long():
        sys.exit("files over 400 lines:\n" + "\n".join(found))
