"""Debugging data are read once: what is kept says the same, and is never needed."""

from pathlib import Path

import pytest

from tilelab.elf import kept_lines
from tilelab.elf.dwarf import ReadDebugInfo
from tilelab.elf.program import Program, load_elf
from tilelab.kernels.examples import examples_folder

MATH = examples_folder() / "matmul" / "math.elf"


def program() -> Program:
    return load_elf(MATH, range(0xFFB00000, 0xFFB02000))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TILELAB_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "lines"


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """How large each ELF was whose debugging data were read."""
    sizes: list[int] = []

    class Counting(ReadDebugInfo):
        def __init__(self, image: bytes, code: list[tuple[int, int]]) -> None:
            sizes.append(len(image))
            super().__init__(image, code)

    monkeypatch.setattr("tilelab.elf.dwarf.ReadDebugInfo", Counting)
    return sizes


@pytest.mark.usefixtures("folder")
def test_what_is_kept_says_the_same(reads: list[int]) -> None:
    first, second = program().debug, program().debug
    assert len(reads) == 1
    assert second.edges() == first.edges()
    assert len(first.edges()) > 20
    places = [first.frames(pc) for start, end in first.code for pc in range(start, end, 2)]
    assert [second.frames(pc) for start, end in first.code for pc in range(start, end, 2)] == places
    assert max(map(len, places)) > 2, "inlined calls among them"
    assert second.note == first.note


@pytest.mark.usefixtures("folder")
def test_other_bytes_are_read_anew(reads: list[int]) -> None:
    image = MATH.read_bytes()
    for content in (image, image + b"\0", image):
        kept_lines.debug_info(content, [])
    kept_lines.debug_info(image, [(0, 4)])
    assert len(reads) == 3


@pytest.mark.usefixtures("folder")
def test_what_an_elf_lacks_is_kept_with_it() -> None:
    for _ in range(2):
        assert "too much debugging data" in kept_lines.debug_info(b"", []).note
        assert "damaged" in kept_lines.debug_info(b"no ELF", []).note


def test_a_damaged_file_is_made_anew(folder: Path, reads: list[int]) -> None:
    expected = program().debug.edges()
    (file,) = folder.iterdir()
    whole = file.read_bytes()
    for damaged in (b"", whole[:-1], whole[:40] + bytes([whole[40] ^ 1]) + whole[41:]):
        file.write_bytes(damaged)
        assert program().debug.edges() == expected
        assert file.read_bytes() == whole
    assert len(reads) == 4


def test_without_a_cache_they_are_read_each_time(folder: Path, reads: list[int]) -> None:
    folder.parent.write_text("a file stands where the folder would be")
    assert program().debug.edges() == program().debug.edges()
    assert len(reads) == 2
