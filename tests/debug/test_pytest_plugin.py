"""A failing test of a user's, and the debugger that it opens."""

import subprocess
import sys
from pathlib import Path

TEST = """
from tilelab.tensix import Tile

def test_count(debugged):
    tile = Tile("blackhole")
    tile.write(0, b"".join(w.to_bytes(4, "little") for w in (0x00150513, 0x40A02023, 0xFF9FF06F)))
    tile.reg_write(0xFFB121B0, 0x47000)
    made = debugged(tile)
    made.forward((), 100)
    assert int.from_bytes(tile.read(0x400, 4), "little") == 34
"""


def run(folder: Path, *options: str) -> str:
    (folder / "test_it.py").write_text(TEST)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    done = subprocess.run(
        [*command, "-p", "tilelab.debug.pytest_plugin", *options, "test_it.py"],
        cwd=folder,
        input="core brisc\nreverse-stepi\nlast-write l1[0x400:4]\n",
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 1
    return done.stdout


def test_the_debugger_opens_where_the_test_failed(tmp_path: Path) -> None:
    out = run(tmp_path, "--tilelab-debug")
    assert "test_it.py::test_count failed" in out
    assert "cycle 100  BRISC" in out
    assert "cycle 99  BRISC" in out
    assert "BRISC: sw a0, 1024(zero)" in out


def test_without_the_option_nothing_opens(tmp_path: Path) -> None:
    assert "cycle 99" not in run(tmp_path)
