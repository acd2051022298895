"""What ``tilelab ttnn`` prints, with a program that opens the chip itself: no wheel is needed."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tilelab.cli.main import main

LINUX = sys.platform == "linux" and os.uname().machine == "x86_64"
pytestmark = pytest.mark.skipif(not LINUX, reason="the library is made for x86-64 Linux")

PROGRAM = """
import ctypes, os, sys
print("words of the program", *sys.argv[1:], sys.stdin.read())
if "open" in sys.argv:
    library = ctypes.CDLL(os.environ["TT_METAL_SIMULATOR"])
    library.libttsim_init()
    library.libttsim_tile_wr_bytes(1, 2, ctypes.c_uint64(0x8000), b"word", 4)
    library.libttsim_clock(1)
    library.libttsim_exit()
sys.exit(3)
"""


@pytest.fixture
def words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The command, with a package in the wheel's place and stdin a pipe that is closed."""
    wheel = tmp_path / "ttnn"
    (wheel / "runtime" / "sfpi" / "compiler").mkdir(parents=True)
    (wheel / "__init__.py").touch()
    (tmp_path / "program.py").write_text(PROGRAM)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    flags = ["--one-tile", "--python", sys.executable]
    return ["ttnn", *flags, str(tmp_path / "program.py")]


def test_json_is_alone_on_stdout(words: list[str], capfd: pytest.CaptureFixture[str]) -> None:
    assert main([words[0], "--json", *words[1:], "open"]) == 3
    out, err = capfd.readouterr()
    assert json.loads(out) == {
        "exit_code": 3, "arch": "blackhole", "rounds": 0, "noc_requests": 0, "tiles": []
    }  # fmt: skip
    assert "words of the program open" in err


def test_a_programs_words_are_on_stdout(
    words: list[str], capfd: pytest.CaptureFixture[str]
) -> None:
    assert main([*words, "open"]) == 3
    out, err = capfd.readouterr()
    assert "words of the program open" in out
    assert "blackhole: 0 tiles booted, 0 computed" in out
    assert err == ""


def test_a_program_that_opens_no_chip(words: list[str], capfd: pytest.CaptureFixture[str]) -> None:
    assert main([*words, "elsewhere"]) == 3
    out, err = capfd.readouterr()
    assert out.strip() == "words of the program elsewhere"
    assert err == "tilelab: the program did not open the simulated chip, or it ended in an error\n"


def test_sigterm_ends_the_program_too_and_nothing_is_left(words: list[str], tmp_path: Path) -> None:
    folder, started = tmp_path / "temporary", tmp_path / "started"
    folder.mkdir()
    text = (
        f"import os, pathlib, time\npathlib.Path({str(started)!r}).write_text(str(os.getpid()))\n"
    )
    (tmp_path / "program.py").write_text(f"{text}time.sleep(60)\n")
    command = [sys.executable, "-m", "tilelab", *words]
    running = subprocess.Popen(command, env=os.environ | {"TMPDIR": str(folder)})
    for _ in range(600):
        if started.exists() and started.read_text():
            break
        time.sleep(0.1)
    running.send_signal(signal.SIGTERM)
    assert running.wait(20) == 130
    assert list(folder.iterdir()) == []
    gone = False
    for _ in range(100):  # it is killed, and gone once its new parent has seen that
        try:
            os.kill(int(started.read_text()), 0)
        except ProcessLookupError:
            gone = True
            break
        time.sleep(0.1)
    assert gone
