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
    monkeypatch.setenv(
        "PYTHONPATH", os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])
    )
    (tmp_path / "kept" / "kernels").mkdir(parents=True)
    monkeypatch.setenv("TT_METAL_CACHE", str(tmp_path / "kept"))
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


def start(words: list[str], tmp_path: Path, *options: str) -> tuple[subprocess.Popen[bytes], int]:
    """Start a program that sleeps; the command's process and the program's number."""
    started = tmp_path / "started"
    text = f"import os, pathlib, time\npathlib.Path({str(started)!r}).write_text(str(os.getpid()))"
    (tmp_path / "program.py").write_text(f"{text}\ntime.sleep(60)\n")
    (tmp_path / "temporary").mkdir()
    running = subprocess.Popen(
        [sys.executable, "-m", "tilelab", words[0], *options, *words[1:]],
        env=os.environ | {"TMPDIR": str(tmp_path / "temporary")},
    )
    for _ in range(3000):
        if started.exists() and started.read_text():
            break
        time.sleep(0.1)
    return running, int(started.read_text())


def gone(process: int) -> bool:
    """Whether a process is gone: it is killed, and gone once its new parent has seen that."""
    for _ in range(100):
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.1)
    return False


@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_the_program_too_and_nothing_is_left(
    sent: signal.Signals, words: list[str], tmp_path: Path
) -> None:
    running, program = start(words, tmp_path)
    running.send_signal(sent)
    assert running.wait(20) == 130
    assert list((tmp_path / "temporary").iterdir()) == []
    assert gone(program)


def test_a_kill_ends_the_program_too_and_nothing_is_left(words: list[str], tmp_path: Path) -> None:
    running, program = start(words, tmp_path)
    assert len(list((tmp_path / "temporary").iterdir())) == 1
    running.kill()
    assert running.wait(20) == -signal.SIGKILL
    assert gone(program)
    for _ in range(100):
        if not list((tmp_path / "temporary").iterdir()):
            break
        time.sleep(0.1)
    assert list((tmp_path / "temporary").iterdir()) == []


def test_a_record_on_a_full_disk_is_one_line_and_no_file(words: list[str], tmp_path: Path) -> None:
    """A file that may not grow beyond 64 KiB is as a full disk: what is written fails."""
    text = PROGRAM.replace(
        "    library.libttsim_clock(1)", "    for i in range(9999): library.libttsim_clock(1)"
    )
    (tmp_path / "program.py").write_text(text.replace("sys.exit(3)", ""))
    record = tmp_path / "calls.bin"
    command = [sys.executable, "-m", "tilelab", words[0], "--record", str(record), *words[1:]]
    small = (
        "import os, resource, sys\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 16, resource.RLIM_INFINITY))\n"
    )
    (tmp_path / "program.py").write_text(small + (tmp_path / "program.py").read_text())
    ran = subprocess.run([*command, "open"], capture_output=True, text=True, check=False)
    assert ran.returncode == 1
    assert ran.stderr == "tilelab: the host's calls cannot be recorded: File too large\n"
    assert not record.exists()


def test_a_python_that_does_not_run_is_told_with_its_reason(
    words: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    """As pyenv's are of versions that are not installed."""
    shim = tmp_path / "bin" / "python3.12"
    shim.parent.mkdir()
    shim.write_text("#!/bin/sh\necho 'pyenv: python3.12: command not found' >&2\nexit 127\n")
    shim.chmod(0o755)
    monkeypatch.setenv("PATH", str(shim.parent))
    assert main([words[0], "--one-tile", words[-1]]) == 2
    said = capfd.readouterr().err
    cause = "does not run (pyenv: python3.12: command not found)"
    assert said == f"tilelab: {shim} {cause}: --python names a Python that has it\n"


def test_a_first_run_says_that_it_takes_minutes(
    words: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("TT_METAL_CACHE", str(tmp_path / "none"))
    assert main([*words, "open"]) == 3
    said = capfd.readouterr().err
    assert "compiles firmware and kernels now, which takes minutes" in said
    assert str(tmp_path / "none") in said
