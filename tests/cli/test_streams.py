"""Streams of every kind: encodings, terminals, names that are no text, and what nobody foresaw."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from command import tilelab

from tilelab.cli import main as main_module
from tilelab.cli.streams import json_text, one_line

SOURCE = Path(__file__).parents[2] / "src"
EXAMPLES = SOURCE.parent / "examples"


def command(
    *arguments: str | bytes, cwd: Path, **environment: str
) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        [sys.executable, "-m", "tilelab", *arguments],
        check=False,
        cwd=cwd,
        env=os.environ | {"PYTHONPATH": str(SOURCE)} | environment,
        capture_output=True,
    )


def test_the_package_is_a_command(tmp_path: Path) -> None:
    done = command("--version", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.startswith(b"tilelab ")


@pytest.mark.parametrize(
    "environment",
    [{"PYTHONIOENCODING": "ascii"}, {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}],
    ids=str,
)
@pytest.mark.parametrize(
    "arguments",
    [
        ("explain-matmul", "--distribution", "normal", "--samples", "128"),
        ("run", "--engine", "reference", "--cycles", "{examples}/datacopy"),
    ],
    ids=str,
)
def test_a_stream_that_has_ascii_only_gets_ascii(
    tmp_path: Path, arguments: tuple[str, ...], environment: dict[str, str]
) -> None:
    done = command(
        *(item.format(examples=EXAMPLES) for item in arguments), cwd=tmp_path, **environment
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.isascii()


@pytest.mark.skipif(sys.platform != "linux", reason="names of files are bytes on Linux")
def test_a_name_that_is_no_text_is_printed_as_it_is_and_spelt_out_in_json(tmp_path: Path) -> None:
    name = b"caf\xe9.s"
    (tmp_path / os.fsdecode(name)).write_text("ttnop\n")
    text = command("run", "--engine", "reference", name, cwd=tmp_path)
    assert (text.returncode, text.stdout.split()[1]) == (0, name)
    document = command("run", "--engine", "reference", name, "--json", cwd=tmp_path)
    assert json.loads(document.stdout)["kernels"][0]["name"] == r"caf\xe9.s"
    assert b"\\ud" not in document.stdout
    missing = command("asm", b"\xe9.s", cwd=tmp_path)
    assert (missing.returncode, missing.stderr) == (
        2,
        b"tilelab: \xe9.s: No such file or directory\n",
    )
    ascii_only = command("asm", "\u00e9\u2190.s", cwd=tmp_path, PYTHONIOENCODING="ascii")
    assert ascii_only.stderr == b"tilelab: \\xe9<-.s: No such file or directory\n"


def test_json_has_no_lone_surrogates_at_any_depth() -> None:
    found = json.loads(json_text({"a\udce9": [{"b": ("\udcff", 1, None, 1.5, True)}]}))
    assert found == {r"a\xe9": [{"b": [r"\xff", 1, None, 1.5, True]}]}


@pytest.mark.parametrize("name", ["a\nb.s", "a\x1b[31m.s", "a\rb.s", "a\0b.s"])
@pytest.mark.parametrize("verb", ["asm", "disasm", "run", "expand", "view", "pto run"])
def test_a_name_with_control_characters_makes_one_line(
    capsys: pytest.CaptureFixture[str], verb: str, name: str
) -> None:
    outcome = tilelab(capsys, *verb.split(), name)
    assert outcome.code == 2
    assert outcome.err.count("\n") == 1
    assert outcome.err.rstrip("\n").isprintable()
    assert one_line(name) in outcome.complaint


def test_a_defect_is_one_line_and_no_verdict(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(_: Any) -> None:
        raise LookupError("first\nsecond")

    monkeypatch.setattr(main_module, "application", broken)
    monkeypatch.delenv("TILELAB_TRACEBACK", raising=False)
    outcome = tilelab(capsys, "--version")
    assert outcome.code == 2
    assert outcome.complaint.startswith("AssertionFailure: LookupError: first (a defect of tilelab")
    assert outcome.err.count("\n") == 1
    monkeypatch.setenv("TILELAB_TRACEBACK", "1")
    assert "Traceback" in tilelab(capsys, "--version").err


def test_too_little_memory_is_one_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def hungry(_: Any) -> None:
        raise MemoryError

    monkeypatch.setattr(main_module, "application", hungry)
    outcome = tilelab(capsys, "--version")
    assert (outcome.code, outcome.complaint) == (2, "there is not enough memory for this")


@pytest.mark.skipif(not Path("/dev/zero").exists(), reason="needs /dev/zero")
@pytest.mark.parametrize(
    "arguments", [("asm",), ("disasm",), ("expand",), ("run",), ("explain-matmul", "-b", "x", "-a")]
)
def test_a_file_without_end_is_refused(
    capsys: pytest.CaptureFixture[str], arguments: tuple[str, ...]
) -> None:
    outcome = tilelab(capsys, *arguments, "/dev/zero")
    assert outcome.code == 2
    assert outcome.complaint == "/dev/zero: is larger than 256 MiB"


def on_a_terminal(
    arguments: list[str], cwd: Path, **environment: str
) -> tuple[int, str]:  # what a terminal is sent, stderr included
    pty = pytest.importorskip("pty")
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "tilelab", *arguments],
        cwd=cwd,
        env=os.environ | {"PYTHONPATH": str(SOURCE)} | environment,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
    )
    os.close(theirs)
    sent = b""
    try:
        while part := os.read(ours, 65536):
            sent += part
    except OSError:
        pass  # how Linux says that the other end is closed
    os.close(ours)
    return process.wait(), sent.decode()


@pytest.mark.skipif(sys.platform != "linux", reason="terminals as on Linux")
def test_a_dumb_terminal_gets_no_control_sequences(tmp_path: Path) -> None:
    arguments = ["run", "--engine", "reference", str(EXAMPLES / "datacopy")]
    code, sent = on_a_terminal(arguments, tmp_path, TERM="dumb")
    assert code == 0
    assert "\x1b" not in sent
    assert "\r" not in sent.replace("\r\n", "")
    code, sent = on_a_terminal(arguments, tmp_path, TERM="xterm")
    assert code == 0
    assert "\x1b[K" in sent


LOOPS = """\
.mopcfg 0, 127
.mopcfg 1, 127
.mopcfg 2, { ttnop }
.mopcfg 3, { ttnop }
.mopcfg 4, { ttnop }
.mopcfg 5, { ttincrwc 0,2,0,0 }
.mopcfg 6, { ttnop }
.mopcfg 7, { ttnop }
.mopcfg 8, { ttnop }
ttmop 1,0,0
"""


@pytest.mark.skipif(sys.platform != "linux", reason="terminals as on Linux")
@pytest.mark.parametrize(
    ("arguments", "shown"),
    [
        (["run", "--engine", "reference", "loops.s"], "loops.s: 2,048 cycles"),
        (["view", "--engine", "reference", "loops.s"], "loops.s: drawing "),
        (["view", "--engine", "reference", "{examples}/datacopy"], "datacopy: running"),
        (
            ["explain-matmul", "--distribution", "normal", "--samples", "1280"],
            "640 of 1,280 results",
        ),
    ],
    ids=str,
)
def test_long_work_shows_progress_on_a_terminal_and_nowhere_else(
    tmp_path: Path, arguments: list[str], shown: str
) -> None:
    (tmp_path / "loops.s").write_text(LOOPS)
    words = [item.format(examples=EXAMPLES) for item in arguments]
    code, sent = on_a_terminal(words, tmp_path, TERM="xterm")
    assert code == 0
    assert shown in sent
    assert sent.rpartition("\r")[2].startswith(("\x1b[K", "\n")), "it is cleared in the end"
    done = command(*words, cwd=tmp_path)
    assert done.returncode == 0
    assert b"\r" not in done.stderr
    assert shown.encode() not in done.stderr
