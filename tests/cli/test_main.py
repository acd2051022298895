"""The command as a whole: version, help, misuse, and output that nobody takes."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from command import tilelab

from tilelab import __version__
from tilelab.cli.main import main as run_main

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src"
COMMANDS = ("asm", "disasm", "expand", "run")


def shell(command: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PYTHONPATH": str(SOURCE), "PYTHON": sys.executable}
    arguments = ["bash", "-c", command]
    return subprocess.run(
        arguments, check=False, cwd=cwd, env=environment, capture_output=True, text=True
    )


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert tilelab(capsys, "--version") == (0, f"tilelab {__version__}\n", "")


@pytest.mark.parametrize("option", ["-h", "--help"])
def test_help(capsys: pytest.CaptureFixture[str], option: str) -> None:
    outcome = tilelab(capsys, option)
    assert (outcome.code, outcome.err) == (0, "")
    assert all(command in outcome.out for command in COMMANDS)
    for command in COMMANDS:
        assert tilelab(capsys, command, option).code == 0


@pytest.mark.parametrize("words", [[], ["run"], ["bench"], ["pto", "run"], ["tilext", "asm"]])
def test_the_help_shows_flags_as_they_are_typed(
    capsys: pytest.CaptureFixture[str], words: list[str]
) -> None:
    outcome = tilelab(capsys, *words, "--help")
    assert outcome.code == 0
    assert "bool" not in outcome.out
    assert "--help" in outcome.out


def test_no_command_shows_the_help_on_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    for group in [], ["pto"], ["tilext"]:
        outcome = tilelab(capsys, *group)
        assert (outcome.code, outcome.out) == (2, "")
        assert outcome.err.split()[:2] == ["Usage:", "tilelab"]
        assert "tilelab:" not in outcome.err


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["bogus"], "No such command 'bogus'."),
        (["--bogus"], "No such option: --bogus"),
        (["asm", "--arch"], "Option '--arch' requires an argument."),
        (["disasm", "0x1ffffffff"], "0x1ffffffff is not a 32-bit word"),
    ],
)
def test_misuse_is_one_line(
    capsys: pytest.CaptureFixture[str], arguments: list[str], complaint: str
) -> None:
    outcome = tilelab(capsys, *arguments)
    assert (outcome.code, outcome.out) == (2, "")
    assert outcome.complaint == complaint
    assert outcome.err.count("\n") == 1


@pytest.mark.skipif(os.name != "posix", reason="needs a POSIX shell")
def test_output_that_nobody_takes(tmp_path: Path) -> None:
    (tmp_path / "long.s").write_text("ttnop\n" * 20_000)
    run = '"$PYTHON" -m tilelab.cli.main'
    for command in ("expand long.s", "expand --json long.s", "asm long.s"):
        result = shell(
            f"{run} {command} | head -n 1 | cut -c 1-12; echo ${{PIPESTATUS[0]}}", tmp_path
        )
        assert result.stderr == ""
        assert result.stdout.splitlines()[-1] == "0"
        assert len(result.stdout.splitlines()) == 2


FAULTY = """\
.thread 0
ttzeroacc 3,0,0,1,0
ttunpacr_nop 0,0,0,1,0,0,0,0,1
ttunpacr_nop 1,0,0,1,0,0,0,0,1
.thread 1
ttnop
ttmvmul 0,0,0,0
ttnop
sfpload L0,0,0,0
"""


@pytest.mark.skipif(os.name != "posix", reason="needs a POSIX shell")
@pytest.mark.parametrize(
    ("command", "code", "made"),
    [
        ("check k.s --page made/k.html", 1, ["k.html"]),
        ("check k.s --sarif made/k.sarif", 1, ["k.sarif"]),
        ("check k.s --json", 1, []),
        ("check k.s", 1, []),
        ("run k.s wrong --save-outputs made", 1, ["wrong"]),
        ("run k.s wrong --trace made/t.jsonl", 1, ["t.jsonl"]),
        ("run wrong", 1, []),
        ("run --json wrong", 1, []),
        ("compare wrong k.s", 1, []),
    ],
)
def test_who_stops_reading_leaves_the_verdict_and_the_files(
    tmp_path: Path, command: str, code: int, made: list[str]
) -> None:
    (tmp_path / "k.s").write_text(FAULTY)
    (tmp_path / "made").mkdir()
    wrong = shutil.copytree(SOURCE.parent / "examples" / "datacopy", tmp_path / "wrong")
    toml = (wrong / "kernel.toml").read_text()
    (wrong / "kernel.toml").write_text(toml.replace('expect = "a"', 'expect = "-a"'))
    result = shell(
        f'"$PYTHON" -m tilelab.cli.main {command} | true; echo ${{PIPESTATUS[0]}}', tmp_path
    )
    said = [line for line in result.stderr.splitlines() if "compiling the fast engine" not in line]
    assert (result.stdout, said) == (f"{code}\n", [])
    assert sorted(at.name for at in (tmp_path / "made").iterdir()) == made


@pytest.mark.parametrize(
    "arguments",
    [
        ("check", "--page", "nowhere/k.html", "k.s"),
        ("check", "--sarif", "nowhere/k.sarif", "k.s"),
        ("check", "--schedules", "1", "--save", "nowhere/s.json", "k.s"),
    ],
)
def test_where_nothing_can_be_written_is_known_before_the_work(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...],
) -> None:
    monkeypatch.setattr("tilelab.cli.check.check_one", None)  # whoever works fails otherwise
    outcome = tilelab(capsys, *arguments)
    assert (outcome.code, outcome.complaint) == (2, f"{arguments[-2]}: No such file or directory")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "k.s").write_text("ttnop\n")
    result = shell('"$PYTHON" -m tilelab.cli.main asm k.s > /dev/full', tmp_path)
    assert result.returncode == 2
    assert result.stderr == "tilelab: cannot write the output: No space left on device\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
@pytest.mark.parametrize("messages", ["2> /dev/full", "2>&1 | true"])
def test_messages_that_nobody_takes_leave_the_exit_code(tmp_path: Path, messages: str) -> None:
    command = f'set -o pipefail; "$PYTHON" -m tilelab.cli.main asm nothing.s {messages}'
    assert shell(command, tmp_path).returncode == 2


@pytest.mark.skipif(os.name != "posix", reason="needs a POSIX shell")
@pytest.mark.parametrize("command", ["asm <&-", "--version >&-", "asm nothing.s 2>&-"])
def test_closed_streams_are_empty_ones(tmp_path: Path, command: str) -> None:
    result = shell(f'"$PYTHON" -m tilelab.cli.main {command}', tmp_path)
    expected = 2 if "nothing" in command else 0
    assert (result.returncode, result.stdout, result.stderr) == (expected, "", "")


@pytest.mark.skipif(os.name != "posix", reason="needs a POSIX shell")
def test_a_terminal_of_no_width_still_gets_the_report(tmp_path: Path) -> None:
    (tmp_path / "k.s").write_text("ttnop\n")
    command = 'COLUMNS=0 "$PYTHON" -m tilelab.cli.main run --engine reference k.s'
    assert "T1 math" in shell(command, tmp_path).stdout


IMPORTED = """
import sys
from tilelab.cli.main import main
code = main(sys.argv[1:])
print(code, *sorted(sys.modules), file=sys.stderr)
"""


def imported_by(*arguments: str) -> set[str]:
    """The modules that a command imports."""
    command = [sys.executable, "-c", IMPORTED, *arguments]
    environment = os.environ | {"PYTHONPATH": str(SOURCE)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    code, *modules = done.stderr.split()
    assert code == "0"
    return set(modules)


def test_a_command_imports_no_other_and_the_reference_engine_no_compiler() -> None:
    modules = imported_by("run", "--engine", "reference", str(ROOT / "examples" / "datacopy"))
    assert "tilelab.tensix.run.reference" in modules
    others = ("llvmlite", "distributed", "tilelab.kernelpy", "tilelab.pto", "tilelab.tilext")
    assert not [m for m in modules if m in others or m.startswith(tuple(f"{o}." for o in others))]


@pytest.mark.parametrize(
    ("cause", "said"),
    [
        ("l.so: failed to map segment", "there is not enough memory for this: l.so: failed to map"),
        ("l.so: cannot open shared object file", "l.so: cannot open shared object file\n"),
    ],
)
def test_a_library_that_cannot_be_loaded_is_told_with_its_cause(
    cause: str, said: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """llvmlite hides what the loader says behind guesses of its own."""

    def run(*_: object, **__: object) -> None:
        try:
            raise OSError(cause)
        except OSError as error:
            raise OSError("Could not find/load shared object file 'l.so'") from error

    monkeypatch.setattr("tilelab.cli.main.application", run)
    assert run_main(["doctor"]) == 2
    assert capsys.readouterr().err.startswith(f"tilelab: {said}")
