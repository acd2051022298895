"""Nothing but Python and pip: the documentation's first vector kernel builds and runs.

TILELAB_PYTHONS names the Pythons to try, as `python3.11 python3.12 python3.13`. Each gets a fresh
environment with tilelab[build] in it, an empty PATH and a cache of its own.
"""

import os
import subprocess
from pathlib import Path

import pytest

from kernel_maker import EXAMPLES, first_vector_kernel

PYTHONS = os.environ.get("TILELAB_PYTHONS", "").split()


@pytest.mark.skipif(not PYTHONS, reason="TILELAB_PYTHONS names no Pythons")
@pytest.mark.parametrize("python", PYTHONS)
def test_the_first_vector_kernel_with_pip_alone(python: str, tmp_path: Path) -> None:
    venv, empty = tmp_path / "venv", tmp_path / "empty"
    empty.mkdir()
    subprocess.run([python, "-m", "venv", str(venv)], check=True)
    own = venv / ("Scripts" if os.name == "nt" else "bin") / "python"
    quiet = ("-q", "--disable-pip-version-check")
    subprocess.run([own, "-m", "pip", "install", *quiet, f"{EXAMPLES.parent}[build]"], check=True)
    folder = first_vector_kernel(tmp_path)
    environment = {**os.environ, "PATH": str(empty), "TILELAB_CACHE": str(tmp_path / "cache")}
    for command in ("build", "run"):
        done = subprocess.run(
            [own, "-m", "tilelab", command, str(folder)],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("PASS  leaky_relu")
