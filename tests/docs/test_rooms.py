"""Decision 12 counts rooms and layers as they are."""

import re
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "decisions" / "12-rooms.md").read_text(encoding="utf-8")
TENSIX = ROOT / "src" / "tilelab" / "tensix"


def rooms(folder: Path) -> int:
    """Folders and files of Python in a folder."""
    files = [path for path in folder.glob("*.py") if path.name != "__init__.py"]
    return len(files) + len(list(folder.glob("*/__init__.py")))


def test_the_page_s_counts() -> None:
    said = re.search(r"`tensix/` has (\d+) rooms\s+in (\d+) layers, `backend/` (\d+):", PAGE)
    assert said is not None
    with (ROOT / "pyproject.toml").open("rb") as file:
        contracts = tomllib.load(file)["tool"]["importlinter"]["contracts"]
    (layers,) = (c["layers"] for c in contracts if c.get("containers") == ["tilelab.tensix"])
    counted = rooms(TENSIX), len(layers), rooms(TENSIX / "backend")
    assert tuple(map(int, said.groups())) == counted
