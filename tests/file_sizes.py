"""Refuse files of more than 400 lines, functions of more than 60, and tests of one name.

A long file is a room that wants a wall; a long function is several that nobody has named.
"""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

LIMIT = 400
FUNCTION_LIMIT = 60
ROOT = Path(__file__).resolve().parent.parent


def files() -> list[Path]:
    """Every Python file that is looked at."""
    parts = ("src", "tests", "benchmarks", "docs", "examples", "tools")
    return sorted(path for part in parts for path in (ROOT / part).rglob("*.py"))


def too_long() -> list[str]:
    """Files over the limit."""
    lengths = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in files()}
    return [
        f"{path.relative_to(ROOT)}: {length} lines"
        for path, length in lengths.items()
        if length > LIMIT
    ]


def long_functions(text: str) -> Iterator[tuple[str, int]]:
    """Names and lengths of a program's functions over the limit, decorators not counted."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            length = (node.end_lineno or node.lineno) - node.lineno + 1
            if length > FUNCTION_LIMIT:
                yield node.name, length


def function_problems() -> list[str]:
    """Functions that are too long."""
    return [
        f"{path.relative_to(ROOT).as_posix()}: {name}: {length} lines"
        for path in files()
        for name, length in long_functions(path.read_text(encoding="utf-8"))
    ]


def twins() -> list[str]:
    """Test files of one name in folders that are no packages: pytest collects one of them alone."""
    named: dict[str, list[str]] = {}
    for path in (ROOT / "tests").rglob("test_*.py"):
        if not (path.parent / "__init__.py").exists():
            named.setdefault(path.name, []).append(path.relative_to(ROOT).as_posix())
    return [" and ".join(sorted(paths)) for paths in named.values() if len(paths) > 1]


def main() -> int:
    """Print what is too long; return the exit code."""
    problems = [
        (f"files over {LIMIT} lines", too_long()),
        (f"functions over {FUNCTION_LIMIT} lines", function_problems()),
        ("tests of one name", twins()),
    ]
    for what, names in problems:
        if names:
            print("\n".join([f"{what}:", *names]), file=sys.stderr)
    return int(any(names for _, names in problems))


if __name__ == "__main__":
    sys.exit(main())
