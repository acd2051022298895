"""What the guide shows is so."""

import re
import tomllib
from pathlib import Path

from tilelab.tilext import assemble_text, disassemble_words, load_profile

GUIDE = (Path(__file__).parents[2] / "docs" / "tilext" / "README.md").read_text("utf-8")


def blocks(language):
    return re.findall(rf"```{language}\n(.*?)```", GUIDE, re.DOTALL)


def test_the_overlay_is_one():
    profile = load_profile("repaired", tomllib.loads(blocks("toml")[0]))
    assert len(profile.instructions) == 40
    assert profile.codes("tgld.unit", "tilesize").by_name["8"] == 7


def test_the_line_of_assembly_is_printed_so():
    line = blocks("")[0].strip()
    (printed,) = disassemble_words(assemble_text(line))
    assert set(re.split(r", | ", printed)) == set(re.split(r", | ", line))


def test_the_model_runs():
    (code,) = blocks("python")
    state = {}
    exec(code, state)
    assert state["core"].counters() == {}
