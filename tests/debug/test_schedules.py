"""A program that runs under a schedule in the debugger, forwards and backwards."""

from pathlib import Path

import pytest

from tilelab.cli.main import main

RACE = """.thread 0
ttseminit 2,0,2
ttrmwcib0 255,1,180
.thread 1
ttnop
ttnop
ttnop
ttrmwcib0 255,2,180
"""


@pytest.fixture
def race(tmp_path: Path) -> tuple[str, str]:
    (tmp_path / "race.s").write_text(RACE)
    names = str(tmp_path / "race.s"), str(tmp_path / "s.json")
    assert main(["check", names[0], "--schedules", "100", "--save", names[1]]) == 1
    return names


def test_a_schedule_in_the_debugger(
    race: tuple[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    program, schedule = race
    look = "print config[0,180]"
    plain = ["debug", program, "-c", "continue", "-c", look]
    assert main(plain) == 0
    assert "2" in capsys.readouterr().out.split(look)[1]
    held = ["debug", program, "--schedule", schedule, "-c", "continue", "-c", look]
    back = [*held, "-c", "reverse-continue", "-c", "continue", "-c", look]
    assert main(back) == 0
    _, first, second = capsys.readouterr().out.split(look)
    assert "1" in first
    assert first.splitlines()[1] == second.splitlines()[1]


def test_only_with_compiled_code(race: tuple[str, str], capsys: pytest.CaptureFixture[str]) -> None:
    program, schedule = race
    assert main(["debug", program, "--schedule", schedule, "--clock", "cycle"]) == 2
    assert "functional clock" in capsys.readouterr().err
