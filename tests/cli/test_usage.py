"""The command line's manners: usage errors are one clear line and exit code 2."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tilelab import __version__
from tilelab.cli.main import main

DATACOPY = Path(__file__).parents[2] / "examples" / "datacopy"
UNKNOWN_ARCH = "Invalid value for '--arch': 'x' is not one of 'blackhole', 'wormhole'."


@pytest.fixture
def refused(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Callable[[list[str], str], None]:
    """Checks that a command line is refused in one line, and leaves no file behind."""

    def check(arguments: list[str], says: str) -> None:
        monkeypatch.chdir(tmp_path)
        assert main(arguments) == 2
        assert capsys.readouterr() == ("", f"tilelab: {says}\n")
        assert not list(tmp_path.iterdir())

    return check


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["nope"], "No such command 'nope'."),
        (["run"], "Missing argument 'TARGET...': see tilelab run --help"),
        (
            ["tilext", "export"],
            "Missing argument 'what'. Choose from: c-header, decodetree, json, opcode-table, "
            "riscv-opcodes, sail, tablegen, unified-db: see tilelab tilext export --help",
        ),
        (["run", "--qqqq", "x"], "No such option: --qqqq"),
        (["run", "--arch", "x", "kernel.toml"], UNKNOWN_ARCH),
        (["view", "--arch", "x", "kernel.toml"], UNKNOWN_ARCH),
        (["run", "--max-cycles"], "Option '--max-cycles' requires an argument."),
    ],
)
def test_a_usage_error_is_one_line(
    arguments: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    out, err = capsys.readouterr()
    assert (out, err) == ("", f"tilelab: {says}\n")


def test_no_command_shows_the_help_on_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    out, err = capsys.readouterr()
    assert not out
    assert "Usage: tilelab" in err
    assert "examples" in err


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--version"]) == 0
    assert capsys.readouterr().out == f"tilelab {__version__}\n"


EMPTY = "an argument is empty: is a shell variable not set?"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["run", ""], EMPTY),
        (["run", str(DATACOPY), ""], EMPTY),
        (["view", "", "-o", "x.html"], EMPTY),
        (["view", str(DATACOPY), "-o", ""], EMPTY),
        (["check", ""], EMPTY),
        (["compare", str(DATACOPY), ""], EMPTY),
        (["build", ""], EMPTY),
        (["new", ""], EMPTY),
        (["disasm", ""], EMPTY),
        (["asm", ""], EMPTY),
        (["expand", ""], EMPTY),
        (["pto", "run", ""], EMPTY),
        (["tilext", "run", ""], EMPTY),
        (["run", str(DATACOPY), "--trace="], EMPTY.replace("argument", "argument of --trace")),
    ],
)  # fmt: skip
def test_an_empty_argument_is_no_folder(
    arguments: list[str], says: str, refused: Callable[[list[str], str], None]
) -> None:
    refused(arguments, says)


KERNEL = f"{DATACOPY / 'kernel.toml'}"
FOREIGN = f"{KERNEL}: is for blackhole, not wormhole"
NO_BUILD = "--compiler is for --build or -D or --watch or --what-if"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["run", KERNEL, "--arch", "wormhole"], FOREIGN),
        (["view", KERNEL, "--arch", "wormhole"], FOREIGN),
        (["check", KERNEL, "--arch", "wormhole"], FOREIGN),
        (["compare", KERNEL, KERNEL, "--arch", "wormhole"], FOREIGN),
        (["debug", KERNEL, "--arch", "wormhole", "-c", "quit"], FOREIGN),
        (["serve", KERNEL, "--arch", "wormhole"], FOREIGN),
        (["run", KERNEL, "--compiler", "/nope"], NO_BUILD),
        (["check", KERNEL, "--save-schedule", "s.json"],
         "--save-schedule is for --schedules or --schedule"),
        (["check", KERNEL, "--save", "s.json"], "--save-schedule is for --schedules or --schedule"),
        (["check", KERNEL, "--places"], "--places is for --schedules or --schedule"),
        (["check", KERNEL, "--seed", "3"], "--seed is for --schedules or --schedule"),
        (["new", "x", "--no-build", "--compiler", "zig"],
         "--no-build compiles nothing, so there is no --compiler to choose"),
        (["build", KERNEL, "--compile-commands", "-o", "x"],
         "-o excludes --compile-commands"),
    ],
)  # fmt: skip
def test_an_option_that_would_change_nothing_is_refused(
    arguments: list[str], says: str, refused: Callable[[list[str], str], None]
) -> None:
    refused(arguments, says)


@pytest.mark.parametrize(
    "options",
    [["--arch", "wormhole"], ["--build"], ["-D", "x=1"], ["--save-outputs", "x"]],
)
def test_a_recording_takes_few_options(
    options: list[str], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    recording = tmp_path / "calls.txt"
    recording.write_text("# tilelab calls\n")
    monkey = pytest.MonkeyPatch()
    with monkey.context() as patch:
        patch.setattr("tilelab.cli.run.recordings_among", lambda targets: True)
        assert main(["run", str(recording), *options]) == 2
    assert capsys.readouterr().err.startswith("tilelab: recordings take --engine")


def test_the_chip_that_a_kernel_names_may_be_named_too(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", KERNEL, "--arch", "blackhole"]) == 0
    assert capsys.readouterr().out.startswith("PASS")


@pytest.mark.parametrize("text", ["", "\n", "# nothing\n", ".thread 1\n"])
@pytest.mark.parametrize("command", ["run", "view", "check", "debug"])
def test_a_program_without_an_instruction_is_bad_input(
    command: str, text: str, capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path,
) -> None:  # fmt: skip
    monkeypatch.chdir(tmp_path)
    Path("k.s").write_text(text)
    assert main([command, "k.s"]) == 2
    assert capsys.readouterr() == ("", "tilelab: k.s: there is no instruction in it\n")


@pytest.mark.parametrize("name", ["race-dst", "uninit-lreg", "cb-pages-left"])
def test_a_policy_of_the_checkers_is_not_one_of_run(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a.s").write_text("ttnop\n", encoding="ascii")
    assert main(["run", str(tmp_path / "a.s"), "--policy", f"{name}=off"]) == 2
    assert f"{name} is a check of tilelab check, not of run" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["run", KERNEL, "-D", "x"], "-D x: not NAME=VALUE[,VALUE...]"),
        (["run", KERNEL, "-D", "n=1,,2"], "-D n=1,,2: not NAME=VALUE[,VALUE...]"),
        (["build", KERNEL, "-D", "x="], "-D x=: not NAME=VALUE"),
        (["run", KERNEL, "--policy", "ebrek=off"],
         "no check is called 'ebrek': did you mean ebreak?"),
        (["run", KERNEL, "--policy", "x=off"], "no check is called 'x': docs/errors.md lists them"),
        (["run", KERNEL, "--trace", "t.pftrac"],
         "t.pftrac: a trace is .pftrace (Perfetto), .txt or .jsonl (JSON Lines)"),
        (["run", KERNEL, "--save-outputs", KERNEL], f"{KERNEL}: is not a folder"),
        (["run", KERNEL, "--save-outputs", "a/b"], "a/b: there is no folder a"),
        (["sfpi", "a/b"], "a/b: there is no folder a"),
        (["libttsim", "a/b"], "a/b: there is no folder a"),
        (["new", "a/b"], "a/b: there is no folder a"),
        (["build", KERNEL, "-o", "a/b"], "a/b: there is no folder a"),
        (["examples", "--copy", "a/b"], "a/b: there is no folder a"),
        (["disasm", "0xzz"], "0xzz: neither a word nor a file"),
    ],
)  # fmt: skip
def test_what_was_meant_is_said(
    arguments: list[str], says: str, refused: Callable[[list[str], str], None]
) -> None:
    refused(arguments, says)


def test_a_guess_is_near(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "a.s").write_text("ttfoo 1\n", encoding="ascii")
    assert main(["run", str(tmp_path / "a.s")]) == 2
    assert capsys.readouterr().err.endswith("a.s:1: unknown mnemonic 'ttfoo'\n")
    (tmp_path / "a.s").write_text("ttnopp\n", encoding="ascii")
    assert main(["run", str(tmp_path / "a.s")]) == 2
    assert capsys.readouterr().err.endswith("unknown mnemonic 'ttnopp'; did you mean ttnop?\n")


def test_a_kernel_here_is_named_from_here(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(DATACOPY.parent)
    assert main(["run", "datacopy", "--arch", "wormhole"]) == 2
    said = "tilelab: datacopy/kernel.toml: is for blackhole, not wormhole\n"
    assert capsys.readouterr().err == said


@pytest.mark.parametrize(
    ("command", "usage"),
    [
        ("run", "run [OPTIONS] TARGET..."),
        ("compare", "compare [OPTIONS] TARGET TARGET"),
        ("serve", "serve [OPTIONS] [TARGET...]"),
        ("examples", "examples [OPTIONS] [NAME]"),
        ("new", "new [OPTIONS] DIR"),
    ],
)
def test_usage_names_arguments_in_one_style(
    command: str, usage: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([command, "--help"]) == 0
    assert capsys.readouterr().out.splitlines()[0] == f"Usage: tilelab {usage}"
