"""Where the recorded reference data are: see "Reference data" in docs/testing.md.

A folder named by the environment must exist. Without one, the full set beside the checkout is
used where it exists, otherwise the compact copy in ``tests/data``.
"""

import os
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

ROOT = Path(__file__).resolve().parent.parent


def folder(variable: str, beside: str, compact: str) -> Path:
    """Return the folder of one kind of reference data."""
    if named := os.environ.get(variable):
        path = Path(named)
        if not path.is_dir() or not any(path.iterdir()):
            pytest.fail(f"{variable}={named} is not a folder with data in it")
        return path
    full = ROOT.parent / "shared" / beside
    return full if full.is_dir() else ROOT / "tests" / "data" / compact


@cache
def golden(name: str) -> dict[str, Any]:
    """Load one golden file by name, as arrays."""
    with np.load(folder("TILELAB_GOLDEN", "golden", "golden") / name, allow_pickle=False) as data:
        return {key: data[key] for key in data.files}


def ragged(data: dict[str, Any], prefix: str, index: int, *names: str) -> list[Any]:
    """Return item lists ``prefix_name`` of one case of ragged data."""
    start, end = data[f"{prefix}_off"][index : index + 2]
    return [data[f"{prefix}_{name}"][start:end] for name in names]


def report(title: str, compared: Counter[str], skipped: Counter[str] | None = None) -> None:
    """Print how many cases were compared for each opcode, and how many were skipped and why."""
    print(f"\n{title}: {compared.total()} compared")
    print("  " + ", ".join(f"{name} {count}" for name, count in sorted(compared.items())))
    for reason, count in (skipped or Counter()).items():
        print(f"  skipped {count}: {reason}")
