"""The rooms of the sources: how long each is, and what it is for in one sentence.

``python docs/rooms_table.py`` prints exact numbers of lines; the page has two figures of each, so
that it does not change with every commit.
"""

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

SOURCE = Path(__file__).resolve().parents[1] / "src" / "tilelab"
DIVIDED = ("tensix",)
"""Rooms that are listed by the rooms in them."""


@dataclass(frozen=True)
class Room:
    """A package: lines of Python in it, and the first sentence of its docstring."""

    name: str
    lines: int
    purpose: str


def rooms() -> Iterator[Room]:
    """Every room, by name; files that lie in no room belong to the one around."""
    yield _room(SOURCE, alone=True)
    for folder in packages(SOURCE):
        divided = folder.name in DIVIDED
        yield _room(folder, alone=divided)
        yield from (_room(inner) for inner in (packages(folder) if divided else ()))


def packages(folder: Path) -> list[Path]:
    """The packages in a folder."""
    return sorted(path.parent for path in folder.glob("*/__init__.py"))


def _room(folder: Path, alone: bool = False) -> Room:
    files = folder.glob("*.py") if alone else folder.rglob("*.py")
    lines = sum(len(file.read_text(encoding="utf-8").splitlines()) for file in files)
    said = ast.get_docstring(ast.parse((folder / "__init__.py").read_text(encoding="utf-8"))) or ""
    purpose = " ".join(said.partition("\n\n")[0].split())
    name = folder.relative_to(SOURCE.parent).as_posix()
    return Room(name, lines, purpose)


def two_figures(number: int) -> int:
    """A number to two significant figures."""
    return round(number, 2 - len(str(number)))


def table() -> Iterator[str]:
    """Yield the table of rooms."""
    yield "| room | lines, about | what it is for |"
    yield "|---|---:|---|"
    for room in rooms():
        purpose = room.purpose.replace("|", "\\|").replace("``", "`")
        yield f"| `{room.name}` | {two_figures(room.lines):,} | {purpose} |"


PARTS = {"rooms": table}


def main() -> None:
    """Print exact lines, the longest room first."""
    found = sorted(rooms(), key=lambda room: -room.lines)
    for room in found:
        print(f"{room.lines:7,}  {room.name}")
    print(f"{sum(room.lines for room in found):7,}  all")


if __name__ == "__main__":
    main()
