"""The command line's manners: usage errors are one clear line and exit code 2."""

import pytest

from tilelab import __version__
from tilelab.cli.main import main

UNKNOWN_ARCH = "unknown architecture 'x': choose blackhole or wormhole"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["nope"], "No such command 'nope'."),
        (["run"], "Missing argument 'TARGET...'."),
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
