"""Draws the pictures of the lessons in C++: builds each page's first kernel and runs it.

usage: python docs/pictures/kernel_lessons.py [--check]   (needs the extra ``build``)
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

from lessons import HERE, LESSONS, main, picture

from tilelab.build.compilers import find_compiler
from tilelab.build.kernel import build_kernel
from tilelab.sim.errors import MachineError
from tilelab.tensix import Tile, read_kernel_file, run_kernel
from tilelab.tensix.cycle import events
from tilelab.trace.recorded import Recorded

EXAMPLES = HERE.parent.parent / "examples"
SETUP = re.compile(r"^```sh\n(.*?)^```$", re.M | re.S)
FOLDER = re.compile(r"(?:--no-build|examples/matmul) (\w+)")
CYCLES, BEFORE = 420, 20
"""How many cycles are shown, and how many of them before the matrix unit's first addition."""
FIRST = ("ELWADD", "MVMUL")


def record(page: Path) -> tuple[Recorded, range]:
    """The run of a page's first kernel, up to what ends it, and the cycles to show."""
    setup = SETUP.search(page.read_text(encoding="utf-8"))
    assert setup, f"{page.name} has no kernel"
    named = FOLDER.search(setup[1])
    assert named, f"{page.name} names no folder"
    with tempfile.TemporaryDirectory() as name:
        shutil.copytree(EXAMPLES, Path(name) / "examples")
        path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        subprocess.run(
            ["bash", "-euc", setup[1]], cwd=name, env={**os.environ, "PATH": path}, check=True
        )
        folder = Path(name) / named[1]
        build_kernel(read_kernel_file(folder, elfs_exist=False), find_compiler(""))
        kernel = read_kernel_file(folder)
        tile = Tile(clock="cycle")
        recording = Recorded(tile)
        with suppress(MachineError):  # a fault to find: the picture ends where it ends
            run_kernel(kernel, tile)
    first = next(
        int(row["clock"])
        for row in recording.of(events.ISSUE, 1)
        if recording.mnemonic(int(row["value"])) in FIRST
    )
    start = max(0, first - BEFORE)
    return recording, range(start, min(start + CYCLES, recording.end))


def pictures() -> dict[Path, str]:
    """Every page's picture, by its file."""
    return {
        HERE / "lessons" / f"cpp-{page.stem}.svg": picture(*record(page))
        for page in sorted((LESSONS / "cpp").glob("*.md"))
    }


if __name__ == "__main__":
    sys.exit(main(pictures()))
