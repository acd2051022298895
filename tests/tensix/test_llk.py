"""The vendor's compiled kernels, bit for bit, where their ELFs have been built.

``TILELAB_LLK_ELFS`` names a folder ``<slug>/{brisc,trisc0,trisc1,trisc2}.elf``.
"""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from reference_data import folder
from tilelab.tensix.llk.harness import backend, replay

VECTORS = folder("TILELAB_LLK_VECTORS", "data/llk", "llk")
ELFS = os.environ.get("TILELAB_LLK_ELFS") or None
HOW = "set TILELAB_LLK_ELFS to a folder of the vendor's ELFs; docs/testing.md says how to build it"


def _index() -> list[dict[str, Any]]:
    entries: list[dict[str, Any]] = json.loads((VECTORS / "INDEX.json").read_text())
    return [entry for entry in entries if entry["replay"]]


def _elfs(slug: str) -> Path:
    if ELFS is None:
        pytest.skip(HOW)
    root = Path(ELFS)
    if not root.is_dir() or not any(root.iterdir()):
        pytest.fail(f"TILELAB_LLK_ELFS={ELFS} is not a folder with ELFs in it")
    if not (root / slug / "trisc2.elf").is_file():
        pytest.skip(f"{slug} is not built in {ELFS}")
    return root / slug


@pytest.mark.llk
@pytest.mark.parametrize("entry", _index(), ids=lambda entry: entry["slug"])
def test_kernel_leaves_the_recorded_bytes(entry: dict[str, Any]) -> None:
    elfs = _elfs(entry["slug"])
    result = replay(backend(), VECTORS / entry["slug"], elfs)
    print(f"{entry['slug']}: {result}")
    # one recorded kernel determines no byte: it must still run to completion
    assert result.differ == 0, str(result)
