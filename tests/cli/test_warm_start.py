"""What a command that has run before imports and makes: nothing that it does not use."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tilelab.kernels.examples import examples_folder

LISTED = """
import sys
from tilelab.cli.main import main
code = main(sys.argv[1:])
print(*sorted(sys.modules), file=sys.stderr)
sys.exit(code)
"""
NEVER = (
    "elftools.elf", "tilelab.build.kernel", "tilelab.build.vector", "tilelab.check.engine",
    "tilelab.chip.chip", "tilelab.debug", "tilelab.elf.dwarf", "tilelab.explore", "tilelab.pto",
    "tilelab.tilext", "tilelab.vendor", "ml_dtypes", "pygments", "asyncio",
    "pydantic",
)  # fmt: skip
"""Rooms and packages that a run of a built kernel does without."""


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> subprocess.CompletedProcess[str]:
    """The second run of the example, with a cache of its own."""
    cache = tmp_path_factory.mktemp("cache")
    environment = os.environ | {"TILELAB_CACHE": str(cache), "TILELAB_PATIENCE": "inf"}
    source = Path(__file__).parents[2] / "src"
    environment["PYTHONPATH"] = os.pathsep.join([str(source), environment.get("PYTHONPATH", "")])
    command = [sys.executable, "-c", LISTED, "run", str(examples_folder() / "matmul")]
    for _ in range(2):
        done = subprocess.run(
            command, env=environment, capture_output=True, text=True, check=True, timeout=600
        )
    return done


def test_nothing_is_compiled_nor_said(run: subprocess.CompletedProcess[str]) -> None:
    assert run.stdout.startswith("PASS  matmul")
    assert run.stderr.count("\n") == 1, "the modules alone"


def test_nothing_is_imported_that_is_not_used(run: subprocess.CompletedProcess[str]) -> None:
    modules = run.stderr.split()
    assert "tilelab.tensix.run.speed.fast" in modules
    found = [name for name in modules if any(f"{name}.".startswith(f"{one}.") for one in NEVER)]
    assert not found
