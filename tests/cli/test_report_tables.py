"""Tables: a row is a line in a file or a pipe; a terminal folds the last column, never a number."""

import re
from io import StringIO

import pytest
from rich.console import Console

from tilelab.cli.tables import Rows

CAUSES = ", ".join(f"cause number {n} 1,234" for n in range(12))


def shown(table: Rows, width: int, terminal: bool) -> list[str]:
    file = StringIO()
    console = Console(
        file=file, width=width, force_terminal=terminal, no_color=True, soft_wrap=True
    )
    console.print(table)
    return re.sub(r"\x1b\[[\d;]*m", "", file.getvalue()).splitlines()


@pytest.fixture
def table() -> Rows:
    made = Rows(("  part", ">count", ">share", "bubbles by cause"))
    made.add("  T0 unpack", "1,234,567", "12.3%", CAUSES)
    made.add("  T1", "1", "0.1%", "")
    made.add("  T2")
    return made


@pytest.mark.parametrize("width", [1, 20, 40, 80, 100, 400])
def test_off_a_terminal_a_row_is_one_line(table: Rows, width: int) -> None:
    lines = shown(table, width, terminal=False)
    assert len(lines) == 4
    assert lines[1].endswith(CAUSES)
    assert lines == shown(table, 80, terminal=False)
    assert all(line == line.rstrip() for line in lines)
    assert lines[2] == "  T1                 1   0.1%"


@pytest.mark.parametrize("width", [1, 20, 40, 80, 100])
def test_a_terminal_folds_words_and_never_cuts_a_number(table: Rows, width: int) -> None:
    lines = shown(table, width, terminal=True)
    text = "\n".join(lines)
    assert "…" not in text
    assert "1,234,567  12.3%" in text
    assert " ".join(" ".join(lines).split()).count("1,234") == 13
    assert all(line == line.rstrip() for line in lines)
    assert max(map(len, lines)) <= max(width, 60)


def test_columns_of_numbers_end_together() -> None:
    table = Rows((">n", "x"), folds=False)
    table.add("1", "a")
    table.add("1,000", "[bold]b[/]")
    assert shown(table, 80, terminal=False) == ["    n  x", "    1  a", "1,000  b"]
