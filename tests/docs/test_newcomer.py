"""What extend.md tells a newcomer, done in copies: an instruction, a kind of breakpoint."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "extend.md").read_text(encoding="utf-8")
STEP = re.compile(
    r"<!-- not run: but in a copy, by tests/docs/test_newcomer.py -->\n```python\n(.*?)```", re.S
)
TRIED = """

def test_the_row_brings_everything_else() -> None:
    import numpy as np
    import pytest
    from tilelab.sim.errors import BadInputError
    from tilelab.tensix.arch import arch
    from tilelab.tensix.words.assembly import assemble, disassemble
    from tilelab.tensix.run.speed.generate import dispatch, scheduled
    from tilelab.tensix.tile.tile import Tile

    (word,) = assemble("sfpnand L2,L1").words(1)
    assert disassemble(word) == "sfpnand L2,L1"
    with pytest.raises(BadInputError, match="unknown mnemonic 'sfpnand'"):
        assemble("sfpnand L2,L1", "wormhole")
    tile, generated = Tile(engine="reference"), Tile(engine="reference")
    for made in (tile, generated):
        made.state.lreg[:8] = np.arange(256).reshape(8, 32)
    tile.execute(word)
    assert dispatch(arch("blackhole"))(generated.state.s, 1, word) == 0
    assert scheduled(arch("blackhole"))(generated.state.s, word, 4, 5, 6) == 0
    assert (generated.state.lreg[2] == tile.state.lreg[2]).all()
    made = ~(generated.state.lreg[4] & generated.state.lreg[5])
    assert (generated.state.lreg[6] == made).all()
    tile.state.load_macro_template[0] = word
    tile.state.load_macro_sequence[0] = 4
    for encoded in assemble("sfploadmacro 0,L3,0,0,0\\nsfpnop\\nsfpnop").words(1):
        tile.execute(encoded)
    assert (tile.state.lreg[3] == 0xFFFFFFFF).all()
"""


def insert(path: Path, before: str, text: str) -> None:
    """Put text into a file, before a line that is there once."""
    content = path.read_text(encoding="utf-8")
    assert content.count(before) == 1
    path.write_text(content.replace(before, f"{text}{before}"), encoding="utf-8")


def test_a_vector_instruction_takes_a_row_a_function_and_a_test(tmp_path: Path) -> None:
    row, function, test, _ = STEP.findall(PAGE)
    shutil.copytree(ROOT / "src" / "tilelab", tmp_path / "tilelab")
    tensix = tmp_path / "tilelab" / "tensix"
    insert(tensix / "chips/blackhole/rows.py", ')\n"""What Wormhole lacks."""', row)
    with (tensix / "backend/vector_unit/integer.py").open("a", encoding="utf-8") as file:
        file.write(f"\n\n{function}")
    tried = tmp_path / "test_nand.py"
    tried.write_text(f"from vector_machine import VectorMachine\n{test}{TRIED}", encoding="utf-8")
    assert "2 passed" in in_copy(tmp_path, "pytest", "-q", "-p", "no:cacheprovider", str(tried))


SCRIPT = """
.thread 1
ttatgetm 3
ttatrelm 3
"""


def test_a_kind_of_breakpoint_takes_one_function_in_one_file(tmp_path: Path) -> None:
    *_, function = STEP.findall(PAGE)
    shutil.copytree(ROOT / "src" / "tilelab", tmp_path / "tilelab")
    with (tmp_path / "tilelab/debug/breakpoints.py").open("a", encoding="utf-8") as file:
        file.write(f"\n\n{function}")
    program = tmp_path / "mutex.s"
    program.write_text(SCRIPT, encoding="ascii")
    commands = ["help", "catch mutex 3", "continue", "print mutex[3]", "continue", "print mutex[3]"]
    options = [word for command in [*commands, "reverse-continue"] for word in ("-c", command)]
    said = in_copy(tmp_path, "tilelab", "debug", str(program), "--engine", "reference", *options)
    assert "semaphore N|mutex N [thread N] [if ...]" in said
    assert "breakpoint 1: catch mutex 3" in said
    first, second = said.index("mutex[3] = 2"), said.index("mutex[3] = 0")
    assert first < second, "taken by T1, then given back"


def in_copy(folder: Path, *module: str) -> str:
    """What a module prints that runs in a folder with a copy of tilelab."""
    environment = os.environ | {
        "PYTHONPATH": os.pathsep.join([str(folder), str(ROOT / "tests")]),
        "TILELAB_CACHE": str(folder / "cache"),
    }
    done = subprocess.run(
        [sys.executable, "-m", *module],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_page_s_dry_chip_has_the_files_that_it_lists() -> None:
    table = PAGE[PAGE.index("## Add a chip") :]
    listed = set(
        re.findall(r"`([a-z_]+\.(?:py|txt))`", "".join(re.findall(r"^\| (`.*?) \|", table, re.M)))
    )
    found = {path.name for path in (ROOT / "tests" / "dry_chip").iterdir() if path.is_file()}
    assert found <= listed
    chips = ROOT / "src" / "tilelab" / "tensix" / "chips"
    assert {path.name for path in (chips / "blackhole").iterdir() if path.is_file()} == listed
