"""What the guide shows is so."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from tilelab.tilext import assemble_text, disassemble_words, load_profile

GUIDE_PATH = Path(__file__).parents[2] / "docs" / "tilext" / "README.md"
GUIDE = GUIDE_PATH.read_text("utf-8")


def blocks(language):
    return re.findall(rf"```{language}\n(.*?)```", GUIDE, re.DOTALL)


def test_the_overlay_is_one():
    profile = load_profile("repaired", tomllib.loads(blocks("toml")[0]))
    assert len(profile.instructions) == 41  # tcsrw and tgatom.rd are the overlay's
    assert profile.codes("tgld.unit", "tilesize").by_name["8"] == 7


def test_the_line_of_assembly_is_printed_so():
    line = blocks("")[0].strip()
    (printed,) = disassemble_words(assemble_text(line))
    assert set(re.split(r", | ", printed)) == set(re.split(r", | ", line))


def test_the_mixed_assembly_goes_through_gcc(tmp_path):
    if not shutil.which("riscv64-unknown-elf-gcc"):
        pytest.skip("riscv64-unknown-elf-gcc is not installed")
    (script,) = [block for block in blocks("sh") if "--gas" in block]
    (tmp_path / "examples").symlink_to(GUIDE_PATH.parents[2] / "examples")
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-ec", script],
        cwd=tmp_path,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "tgst.unit tr2, (a1), tilesize=1" in done.stdout
    assert "4 of the Tile Extension" in done.stdout


def test_the_model_runs():
    (code,) = blocks("python")
    state = {}
    exec(code, state)
    assert state["core"].counters() == {}
