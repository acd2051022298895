"""Whether programs go with their kernel.toml: where they lie, and what they were built of."""

import os
import re
import shutil
from pathlib import Path

import pytest

from tilelab.elf.writer import ElfBuilder
from tilelab.kernels.kernel_toml.file import read_kernel_file
from tilelab.kernels.l1_places import outdated
from tilelab.kernels.run import run_kernel
from tilelab.sim.errors import BadInputError
from tilelab.tensix.tile.tile import Tile

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return Path(shutil.copytree(EXAMPLES / "datacopy", tmp_path / "datacopy"))


def change(file: Path, old: str, new: str) -> None:
    text = file.read_text(encoding="utf-8")
    assert old in text
    file.write_text(text.replace(old, new, 1), encoding="utf-8")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "address = 0x21000",
            "address = 0x6000",
            r"inputs\[0\]: \[0x6000, 0x8000\) overlaps trisc0's",
        ),
        (
            "address = 0x21000",
            "address = 0x4010",
            r"inputs\[0\]: \[0x4010, 0x6010\) overlaps trisc0's",
        ),
        (
            "address = 0x23000",
            "address = 0xd800",
            r"outputs\[0\]: \[0xd800, 0xf800\) overlaps trisc2's",
        ),
        (
            "trisc1 = 0x1FFBC",
            "trisc1 = 0xA010",
            r"done.mailboxes.trisc1: \[0xa010, 0xa014\) overlaps",
        ),
    ],
)
def test_nothing_may_lie_on_a_program(folder: Path, old: str, new: str, message: str) -> None:
    change(folder / "kernel.toml", old, new)
    tile = Tile(engine="reference")
    before = tile.state.l1.copy()
    with pytest.raises(BadInputError, match=f"^{re.escape(str(folder))}/kernel.toml: {message}"):
        run_kernel(read_kernel_file(folder), tile)
    assert (tile.state.l1 == before).all()


def test_a_kernel_as_it_was_built_gives_no_warning(folder: Path) -> None:
    os.utime(folder / "kernel.cpp")  # a newer date alone says nothing: copies often have one
    result = run_kernel(read_kernel_file(folder), Tile())
    assert (result.passed, result.warnings) == (True, [])


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("kernel.cpp", "cb_wait_front(cb_in, 2)", "cb_wait_front(cb_in, 3)"),
        ("kernel.toml", "num_tiles = 4", "num_tiles = 2"),
        ("kernel.toml", "address = 0x23000", "address = 0x24000"),
    ],
)
def test_a_run_says_that_the_source_has_changed(
    folder: Path, name: str, old: str, new: str
) -> None:
    change(folder / name, old, new)
    warning = (
        "kernel.cpp or kernel.toml has changed since unpack.elf, math.elf, pack.elf were built"
    )
    assert run_kernel(read_kernel_file(folder), Tile()).warnings == [warning]


def test_a_description_is_no_part_of_what_is_built(folder: Path) -> None:
    change(folder / "kernel.toml", "two tiles at a time", "in pairs")
    assert outdated(read_kernel_file(folder)) == []


def test_elfs_that_do_not_say_what_they_were_built_of_go_by_their_date(folder: Path) -> None:
    elf = folder / "math.elf"
    elf.write_bytes(ElfBuilder().add(".init", 0xA000, bytes(4)).build())
    os.utime(folder / "kernel.cpp", (1e9, 1e9))
    assert outdated(read_kernel_file(folder)) == []
    os.utime(elf, (0.9e9, 0.9e9))
    assert outdated(read_kernel_file(folder)) == ["kernel.cpp has changed since math.elf was built"]


def test_a_kernel_that_others_build_is_not_compared(folder: Path) -> None:
    text = (folder / "kernel.toml").read_text(encoding="utf-8")
    (folder / "kernel.toml").write_text(text[: text.index("[build]")], encoding="utf-8")
    (folder / "kernel.cpp").write_text("", encoding="utf-8")
    assert outdated(read_kernel_file(folder)) == []
