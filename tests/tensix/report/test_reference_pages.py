import sys
from pathlib import Path

import pytest

from reference_data import ROOT
from reference_pages import diagram, main, pages, write
from tilelab.tensix.chips.blackhole.rows import INSTRUCTIONS as BLACKHOLE
from tilelab.tensix.chips.wormhole.rows import INSTRUCTIONS as WORMHOLE


def test_the_committed_pages_are_the_generated_ones(tmp_path: Path) -> None:
    write(tmp_path)
    committed = ROOT / "docs" / "reference"
    for name in pages():
        assert (committed / name).read_bytes() == (tmp_path / name).read_bytes(), (
            "run: python tools/reference_pages.py docs/reference"
        )


def test_every_instruction_has_a_section() -> None:
    sections = [
        line[3:] for text in pages().values() for line in text.split("\n") if line[:3] == "## "
    ]
    assert sorted(sections) == sorted(BLACKHOLE.keys() | WORMHOLE.keys())


def test_diagrams_show_unused_bits() -> None:
    top, word = diagram(WORMHOLE["MVMUL"]).split("\n")
    assert top.split() == ["31:24", "23:22", "21:20", "19", "18:17", "16:15", "14:10", "9:0"]
    cells = [cell.strip() for cell in word.strip("|").split("|")]
    assert cells == ["0x26", "clear_dvalid", "-", "instr_mod19", "-", "addr_mode", "-", "dst"]
    assert diagram(BLACKHOLE["NOP"]).split()[:2] == ["31:24", "23:0"]


@pytest.mark.parametrize("arguments", [[], ["--help"], ["a", "b"]])
def test_an_option_is_no_folder(
    arguments: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", ["reference_pages.py", *arguments])
    assert main() == 2
    assert not list(tmp_path.iterdir())
