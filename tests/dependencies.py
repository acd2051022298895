"""Runs a part of the tests with the oldest and with the newest of all dependencies.

``python -m tests.dependencies [PYTHON…]``, from the repository: on Python 3.11 and 3.13 (those on
the PATH or pyenv's), or on those named, two at a time. The oldest are what pyproject.toml allows at
least, the tests' own among them. The engine is compiled once for each llvmlite, by whichever comes
first.
"""

import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from packaging.requirements import Requirement
from packaging.version import Version

ROOT = Path(__file__).resolve().parents[1]
PYTHONS = ("3.11", "3.13")
EXTRAS = ("test",)
"""What is installed beside what tilelab always needs."""
TESTS = (
    *("tests/kernelpy", "tests/formats", "tests/isa", "tests/elf/test_elf.py"),
    *("tests/elf/test_dwarf.py", "tests/tensix/backend/test_sync_unit.py"),
    *("tests/cli/test_usage.py", "tests/cli/test_report_tables.py"),
)
"""Few, but some that use each dependency: llvmlite, NumPy, ml_dtypes, pyelftools, typer, rich."""


def requirements() -> list[Requirement]:
    """What tilelab needs, with the extras that are tested."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    named = [*project["dependencies"]]
    for extra in EXTRAS:
        named += project["optional-dependencies"][extra]
    return [Requirement(text) for text in named]


def floors(python: str) -> dict[str, Version]:
    """The least version of each dependency that a Python's version allows."""
    found: dict[str, Version] = {}
    for need in requirements():
        if need.marker and not need.marker.evaluate({"python_version": python}):
            continue
        least = max(Version(part.version) for part in need.specifier if part.operator == ">=")
        found[need.name] = max(found.get(need.name, least), least)
    return found


def interpreter(version: str) -> str | None:
    """A Python of that version that runs."""
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    found = [shutil.which(f"python{version}"), *map(str, pyenv.glob(f"{version}.*/bin/python"))]
    return next((path for path in found if path and _runs(path)), None)


def _runs(python: str) -> bool:
    return subprocess.run([python, "-c", ""], capture_output=True, check=False).returncode == 0


def run(*command: str) -> str:
    """What a command prints; CalledProcessError if it fails."""
    return subprocess.run(
        command, check=True, cwd=ROOT, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
    ).stdout


def check(python: str, version: str, oldest: bool, wheel: Path, work: Path) -> str:
    """What pytest says of tilelab's wheel with one end of all its dependencies."""
    place = work / f"{version}-{'oldest' if oldest else 'newest'}"
    run(python, "-m", "venv", str(place))
    inside = str(place / "bin" / "python")
    least = [f"{name}=={at}" for name, at in floors(version).items()] if oldest else []
    pip = (inside, "-m", "pip", "-q", "--disable-pip-version-check")
    run(*pip, "install", *least, f"{wheel}[{','.join(EXTRAS)}]")
    run(*pip, "check")
    run(str(place / "bin" / "tilelab"), "run", str(ROOT / "examples" / "matmul"))
    return run(inside, "-m", "pytest", "-q", *TESTS)


def main(named: list[str]) -> int:
    """0 if all is well; 1 if something fails, or a Python is not here."""
    failed = False
    with tempfile.TemporaryDirectory() as made, ThreadPoolExecutor(2) as pool:
        work = Path(made)
        run(sys.executable, "-m", "pip", "-q", "wheel", "--no-deps", "-w", made, str(ROOT))
        (wheel,) = work.glob("*.whl")
        checks = {}
        for version in named or PYTHONS:
            python = interpreter(version)
            if python is None:
                print(f"no Python {version} here: its dependencies are not tested")
                failed = True
                continue
            for oldest in (True, False):
                what = f"Python {version}, the {'oldest' if oldest else 'newest'} dependencies"
                checks[what] = pool.submit(check, python, version, oldest, wheel, work)
        for what, checked in checks.items():
            try:
                said = checked.result()
            except subprocess.CalledProcessError as error:
                failed = True
                said = f"{error}\n{error.output}"
            print(f"-- {what}\n{said}", flush=True)
    return int(failed)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
