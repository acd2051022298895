"""Every snippet of docs/pto.md runs, and its numbers are the program's."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from pto_harness import pto
from tilelab.pto.explore import Model, explore

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "pto.md").read_text(encoding="utf-8")
KERNELS = (ROOT / "docs" / "pto-kernels.md").read_text(encoding="utf-8")
PATTERN = r"^```(\w+)\n(.*?)^```"
BLOCKS = re.findall(r"^```(\w+)\n(.*?)^```", PAGE, re.MULTILINE | re.DOTALL)
MORE = re.findall(PATTERN, KERNELS, re.MULTILINE | re.DOTALL)
COMMANDS = [
    line[2:]
    for kind, body in BLOCKS + MORE
    if kind == "console"
    for line in body.splitlines()
    if line.startswith("$ ")
]


def test_python_snippets_run_in_order(capsys):
    scope: dict = {}
    for kind, body in BLOCKS:
        if kind == "python":
            exec(compile(body, "docs/pto.md", "exec"), scope)
    shown = next(body for kind, body in BLOCKS if kind == "text")
    assert capsys.readouterr().out == shown


@pytest.mark.parametrize("command", COMMANDS)
def test_commands_run(command, tmp_path, monkeypatch):
    words = shlex.split(command)
    assert words[:2] == ["tilelab", "pto"]
    arguments = [str(ROOT / word) if word.startswith("examples/") else word for word in words[2:]]
    monkeypatch.chdir(tmp_path)
    outcome = pto(*arguments)
    unsafe = "--protocol sparse " in command + " "
    assert outcome.exit_code == (1 if unsafe else 0), outcome.output


def test_every_kind_of_block_is_run():
    assert {kind for kind, _ in BLOCKS} == {"python", "console", "text"}
    assert len(COMMANDS) >= 8


def test_the_table_of_overruns_is_what_explore_finds():
    rows = {
        cells[0]: [int(cell) for cell in cells[1:]]
        for line in PAGE.splitlines()
        if line.startswith(("| A2/A3 overrun", "| A5 overrun", "| A5 leftover"))
        for cells in [[cell.strip() for cell in line.strip("|").split("|")]]
    }
    for slots in range(1, 10):
        options = {"protocol": "sparse", "tiles": 40, "vec": 1, "flag_bits": 0}
        a2a3, a5 = explore(Model(slots, **options)), explore(Model(slots, "a5", **options))
        assert rows["A2/A3 overrun"][slots - 1] == a2a3.max_overrun
        assert rows["A5 overrun"][slots - 1] == a5.max_overrun
        assert rows["A5 leftover flags"][slots - 1] == a5.leftover
