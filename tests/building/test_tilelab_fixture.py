"""The pytest fixture ``tilelab``: a user's kernels under the checker and under schedules."""

import shutil
import subprocess
import sys
from pathlib import Path

from tilelab.kernels.examples import examples

TESTS = """
def test_a_kernel(tilelab):
    assert tilelab.check("eltwise_add").passed
    assert tilelab.schedules("eltwise_add", 200).found is None

def test_goes_from_the_same_snapshot(tilelab):
    from tilelab import pytest_kernels
    first = tilelab.schedules("eltwise_add", 50)
    made = list(pytest_kernels._STARTED.values())
    assert tilelab.schedules("eltwise_add", 50) == first
    assert list(pytest_kernels._STARTED.values()) == made and len(made) == 1

def test_a_kernel_of_ones_own_tile(tilelab):
    tile = tilelab.booted("eltwise_add")
    assert not tile.idle

def test_that_fails(tilelab):
    tilelab.check("nosuch")

def test_after_that():
    pass
"""


def test_kernels_are_checked_and_explored(tmp_path: Path) -> None:
    shutil.copytree(examples()["eltwise_add"], tmp_path / "eltwise_add")
    (tmp_path / "test_it.py").write_text(TESTS)
    command = [sys.executable, "-m", "pytest", "-q", "--no-tilelab-kernels", "test_it.py"]
    done = subprocess.run(
        command, cwd=tmp_path, capture_output=True, text=True, check=False, timeout=590
    )
    assert "1 failed, 4 passed" in done.stdout, done.stdout
    assert "nosuch" in done.stdout
