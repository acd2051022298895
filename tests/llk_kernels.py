"""The vendor's kernels: recorded runs, and ELFs where ``TILELAB_LLK_ELFS`` names a folder."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from reference_data import folder

VECTORS = folder("TILELAB_LLK_VECTORS", "data/llk", "llk")
ELFS = os.environ.get("TILELAB_LLK_ELFS") or None
HOW = "set TILELAB_LLK_ELFS to a folder of the vendor's ELFs; docs/testing.md says how to build it"


def index() -> list[dict[str, Any]]:
    """The recorded runs whose bytes can be compared."""
    entries: list[dict[str, Any]] = json.loads((VECTORS / "INDEX.json").read_text())
    return [entry for entry in entries if entry["replay"]]


def recorded(part: str) -> str:
    """The run whose name has this part; the test is skipped where it is not among the vectors."""
    found = [entry["slug"] for entry in index() if part in entry["slug"]]
    if not found:
        pytest.skip(f"{part} is not recorded in {VECTORS}; the full set has it")
    (slug,) = found
    assert isinstance(slug, str)
    return slug


def elfs_of(slug: str) -> Path:
    """A run's ELFs; the test is skipped where there are none."""
    if ELFS is None:
        pytest.skip(HOW)
    root = Path(ELFS)
    if not root.is_dir() or not any(root.iterdir()):
        pytest.fail(f"TILELAB_LLK_ELFS={ELFS} is not a folder with ELFs in it")
    if not (root / slug / "trisc2.elf").is_file():
        pytest.skip(f"{slug} is not built in {ELFS}")
    return root / slug
