"""Measures the errors of ttnn's models on both chips, and writes ttnn_models.json.

With TILELAB_TTNN_PYTHON and TILELAB_TTSIM as the tests want them: ``PYTHONPATH=tests python
tests/data/ttnn_models.py``. Nothing is written unless the vendor's simulator gives the same bytes.
"""

import json
import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from ttnn_runs import FIGURES, MODELS, Run, errors, on_the_vendors, on_tilelab

CHIPS = ("blackhole", "wormhole")
PROGRAM = "ttnn_models.py"


def measure(chip: str, folder: Path) -> dict[str, dict[str, float]]:
    """The errors on a chip; SystemExit if the simulators differ."""
    os.environ.setdefault("TT_METAL_CACHE", f"{folder}/kernels/")
    ours = on_tilelab(Run(chip, one=True), PROGRAM, folder / "ours.npz", MODELS)
    theirs = on_the_vendors(Run(chip, one=True), PROGRAM, folder, MODELS)
    if wrong := [name for name in ours if ours[name].tobytes() != theirs[name].tobytes()]:
        sys.exit(f"{chip}: the vendor's simulator gives other bytes: {', '.join(wrong)}")
    return errors(ours)


def main() -> int:
    """Measure and write."""
    found = {}
    for chip in CHIPS:
        with TemporaryDirectory() as folder:
            found[chip] = measure(chip, Path(folder))
    FIGURES.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
