"""Decisions 11 and 12 count files, lines, rooms and layers as they are."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DECISIONS = ROOT / "docs" / "decisions"
SOURCE = ROOT / "src" / "tilelab"
TENSIX = SOURCE / "tensix"


def said(page: str, pattern: str) -> tuple[str, ...]:
    """What a page says where a pattern is."""
    found = re.search(pattern, (DECISIONS / page).read_text(encoding="utf-8"), re.DOTALL)
    assert found is not None, f"{page} no longer says it"
    return found.groups()


def rooms(folder: Path) -> int:
    """Folders and files of Python in a folder."""
    files = [path for path in folder.glob("*.py") if path.name != "__init__.py"]
    return len(files) + len(list(folder.glob("*/__init__.py")))


def test_the_rooms_of_a_tile() -> None:
    numbers = said("12-rooms.md", r"`tensix/` has (\d+) rooms\s+in (\d+) layers, `backend/` (\d+):")
    with (ROOT / "pyproject.toml").open("rb") as file:
        contracts = tomllib.load(file)["tool"]["importlinter"]["contracts"]
    (layers,) = (c["layers"] for c in contracts if c.get("containers") == ["tilelab.tensix"])
    counted = rooms(TENSIX), len(layers), rooms(TENSIX / "backend")
    assert tuple(map(int, numbers)) == counted


def test_the_compiler_s_lines() -> None:
    (number,) = said("11-kernel-compiler.md", r"`kernelpy/`, some ([\d,]+) lines")
    files = (SOURCE / "kernelpy").glob("*.py")
    lines = sum(len(path.read_text(encoding="utf-8").splitlines()) for path in files)
    assert int(number.replace(",", "")) == round(lines, -2)


def test_who_asks_for_compiled_code() -> None:
    number, files = said("11-kernel-compiler.md", r"(\d+) files use these:(.*?)\. Semantics")
    uses = re.compile(r"^from tilelab\.kernelpy\.(build|module) import", re.MULTILINE)
    found = {
        str(path.relative_to(SOURCE))
        for path in SOURCE.rglob("*.py")
        if path.parent.name != "kernelpy" and uses.search(path.read_text(encoding="utf-8"))
    }
    assert set(re.findall(r"`([\w/]+\.py)`", files)) == found
    assert int(number) == len(found)
