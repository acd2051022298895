"""The encoding document: a copy of its tables, and the whole of it where it is at hand."""

import os
from pathlib import Path

import pytest

_NAME = "004_9fec57605d7e7641.txt"
_TABLES = Path(__file__).with_name("seed_lines.txt")


def _numbered() -> dict[int, str]:
    lines = _TABLES.read_text(encoding="utf-8").splitlines()[1:]
    return {int(number): text for number, _, text in (line.partition("\t") for line in lines)}


@pytest.fixture(scope="session")
def seed() -> dict[int, str]:
    """The bit tables and headings of the document by line number."""
    return _numbered()


@pytest.fixture(scope="session")
def whole_seed() -> list[str]:
    """All lines of the document; TILELAB_SEEDS names its folder, or it lies beside the checkout."""
    folders = [Path(p) / "shared" / "seeds" for p in Path(__file__).resolve().parents]
    if given := os.environ.get("TILELAB_SEEDS"):
        folders = [Path(given)]
    for folder in folders:
        if (folder / _NAME).is_file():
            return (folder / _NAME).read_text(encoding="utf-8").split("\n")
    if given:
        pytest.fail(f"TILELAB_SEEDS={given} has no {_NAME}")
    pytest.skip(f"the encoding document {_NAME} is not here: TILELAB_SEEDS names its folder")
