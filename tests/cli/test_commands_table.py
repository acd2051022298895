"""Commands are declared by functions, and kept as a table that the command line is made of."""

import json

import pytest
import typer
from typer.testing import CliRunner

import commands_table
from tilelab.cli.usage import DECLARED, Only, argument, called, command, flag, option


@command(rules=(Only("much", "quiet"),), old={"--lots": "much"})
def try_out(
    files: list[str] = argument("FILE...", "Read."),
    much: int | None = option("-m N", "So much.", min=1),
    way: str = option("How.", choices=("a", "b"), default="b"),
    define: str | None = option("-D NAME", "A macro.", short=True),
    quiet: bool = flag("--silent", "Say nothing."),
) -> None:
    """Try it."""
    print(files, much, way, define, quiet)


KEPT = json.loads(json.dumps(commands_table.command_of(DECLARED.pop("try-out"))))


def test_the_table_is_of_the_functions() -> None:
    assert commands_table.main() == 0, "run python tools/commands_table.py --write"


def test_a_stale_table_is_told(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(commands_table, "kept", lambda: "{}\n")
    assert commands_table.main() == 1
    assert "out of date" in capsys.readouterr().out


def test_flags_are_called_as_parameters_are_unless_a_row_spells_one() -> None:
    flags = {row["name"]: row.get("flags") for row in KEPT["rows"]}
    assert flags == {
        "files": None,
        "much": ["-m", "--much"],
        "way": ["--way"],
        "define": ["-D"],
        "quiet": ["--silent"],
    }
    assert KEPT["help"] == "Try it."
    assert KEPT["rows"][1]["told"] == {"metavar": "N", "help": "So much.", "min": 1}


def test_what_is_kept_calls_the_function() -> None:
    app = typer.Typer()
    app.command()(called(KEPT | {"place": f"{__name__}:try_out"}))
    given = ["x", "y", "-m", "2", "-D", "n", "--silent"]
    assert CliRunner().invoke(app, given).stdout == "['x', 'y'] 2 b n True\n"
    assert CliRunner().invoke(app, ["x", "--way", "c"]).exit_code == 2
    assert "-m is for --silent" in str(CliRunner().invoke(app, ["x", "-m", "2"]).exception)
