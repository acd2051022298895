"""Calls the command line in this process and says what it did."""

from typing import NamedTuple

import pytest

from tilelab.cli.main import main


class Outcome(NamedTuple):
    code: int
    out: str
    err: str

    @property
    def complaint(self) -> str:
        """The one line that says what is wrong; nothing may be a traceback."""
        assert "Traceback" not in self.err
        assert self.err.startswith("tilelab: ")
        return self.err.splitlines()[0].removeprefix("tilelab: ")


def tilelab(capsys: pytest.CaptureFixture[str], *arguments: object) -> Outcome:
    code = main([str(argument) for argument in arguments])
    captured = capsys.readouterr()
    return Outcome(code, captured.out, captured.err)
