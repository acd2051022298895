"""`tilelab build`: ELFs that run, by either compiler; what is kept; errors at the user's line."""

import json
import re
import shutil
from pathlib import Path

import pytest
from elftools.elf.elffile import ELFFile

from cli.command import tilelab
from kernel_maker import EXAMPLES, first_vector_kernel
from tilelab.build import kernel as build_module
from tilelab.build.compilers import GCC, Compiler, Zig, find_compiler
from tilelab.build.kernel import build_kernel, source_kernel
from tilelab.build.messages import first_error
from tilelab.kernels.kernel_toml.file import read_kernel_file
from tilelab.kernels.run import run_kernel
from tilelab.sim.errors import BadInputError
from tilelab.tensix import Tile

COMPILERS = ["zig", "gcc"]

KERNEL = """\
#include <tilelab/compute_kernel.h>

namespace NAMESPACE {
int nowhere(int);
void MAIN {
    MATH(TTI_SETRWC(0, 0, 0, 0, 3, 0));
}
}
"""


def compiler(name: str) -> Compiler:
    if name == "gcc" and not shutil.which(GCC):
        pytest.skip(f"needs {GCC}")
    return find_compiler(name)


@pytest.fixture(autouse=True)
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tilelab.sim.cache.cache_folder", lambda: tmp_path / "cache")


@pytest.mark.parametrize("name", COMPILERS)
@pytest.mark.parametrize("example", ["matmul", "eltwise_add", "datacopy"])
def test_the_examples_built_run_to_the_recorded_bytes(
    example: str, name: str, tmp_path: Path
) -> None:
    folder = tmp_path / example
    shutil.copytree(EXAMPLES / example, folder, ignore=shutil.ignore_patterns("*.elf"))
    built = build_kernel(read_kernel_file(folder, elfs_exist=False), compiler(name))
    assert [item.path.name for item in built] == ["unpack.elf", "math.elf", "pack.elf"]
    result = run_kernel(read_kernel_file(folder), Tile("blackhole"))
    assert result.passed


@pytest.mark.parametrize("name", COMPILERS)
def test_the_documentations_vector_kernel_runs(name: str, tmp_path: Path) -> None:
    folder = first_vector_kernel(tmp_path)
    build_kernel(read_kernel_file(folder, elfs_exist=False), compiler(name))
    assert run_kernel(read_kernel_file(folder), Tile("blackhole")).passed


@pytest.mark.parametrize("name", COMPILERS)
def test_the_elfs_say_which_source_line_each_word_is_from(name: str, tmp_path: Path) -> None:
    source = tmp_path / "k.cpp"
    source.write_text(KERNEL)
    math = build_kernel(source_kernel(source), compiler(name), tmp_path / "out")[1].path
    with math.open("rb") as file:
        dwarf = ELFFile(file).get_dwarf_info()
        lines = set()
        for unit in dwarf.iter_CUs():
            program = dwarf.line_program_for_CU(unit)
            first = 0 if program.header.version >= 5 else 1
            for entry in program.get_entries():
                if entry.state is not None:
                    named = program.header.file_entry[entry.state.file - first].name
                    lines.add((Path(named.decode()).name, entry.state.line))
    assert ("k.cpp", 6) in lines


@pytest.mark.parametrize("name", COMPILERS)
def test_what_is_built_does_not_depend_on_the_folder_and_is_kept(name: str, tmp_path: Path) -> None:
    images = []
    for folder in ("a", "deeper/b"):
        source = tmp_path / folder / "k.cpp"
        source.parent.mkdir(parents=True)
        source.write_text(KERNEL)
        built = build_kernel(source_kernel(source), compiler(name))
        images.append([item.path.read_bytes() for item in built])
        assert {item.cached for item in built} == {bool(images[1:])}
        assert sorted(p.name for p in source.parent.iterdir()) == [
            *("k.cpp", "math.elf", "pack.elf", "unpack.elf")
        ]
    assert images[0] == images[1]
    shutil.rmtree(tmp_path / "cache")
    again = build_kernel(source_kernel(tmp_path / "a" / "k.cpp"), compiler(name))
    assert [item.path.read_bytes() for item in again] == images[0]
    assert not any(item.cached for item in again)


def test_an_edit_of_an_included_file_is_seen(tmp_path: Path) -> None:
    (tmp_path / "own.h").write_text("#define ROWS 3\n")
    source = tmp_path / "k.cpp"
    source.write_text('#include "own.h"\n' + KERNEL.replace("0, 3, 0", "0, ROWS, 0"))
    math = build_kernel(source_kernel(source), find_compiler())[1].path
    before = math.read_bytes()
    (tmp_path / "own.h").write_text("#define ROWS 5\n")
    built = build_kernel(source_kernel(source), find_compiler())
    assert not built[1].cached
    assert math.read_bytes() != before


def test_a_damaged_file_of_the_cache_is_built_anew(tmp_path: Path) -> None:
    source = tmp_path / "k.cpp"
    source.write_text(KERNEL)
    whole = [b.path.read_bytes() for b in build_kernel(source_kernel(source), find_compiler())]
    for file in (tmp_path / "cache" / "kernels").iterdir():
        file.write_bytes(file.read_bytes()[:-1])
    built = build_kernel(source_kernel(source), find_compiler())
    assert [item.cached for item in built] == [False] * 3
    assert [item.path.read_bytes() for item in built] == whole


@pytest.mark.parametrize("name", COMPILERS)
@pytest.mark.parametrize(
    ("old", "new", "line", "said"),
    [
        ("TTI_SETRWC", "TTI_SETRWX", 6, "TTI_SETRWX"),
        ("3, 0)", "99, 0)", 6, "an operand does not fit its field"),
        ("    MATH", "\n    nowhere(1);\n    MATH", 7, "nothing defines"),
        ("    MATH", "    copy_tile_init(0, 1); MATH", 6, "places no such circular buffer"),
        ("    MATH", "    int* x = 3;\n    MATH", 6, ""),
        ("<tilelab/compute_kernel.h>", "<tilelab/nothing.h>", 1, "nothing.h"),
    ],
)
def test_errors_name_the_users_line(
    name: str, old: str, new: str, line: int, said: str, tmp_path: Path
) -> None:
    source = tmp_path / "k.cpp"
    source.write_text(KERNEL.replace(old, new))
    with pytest.raises(BadInputError) as error:
        build_kernel(source_kernel(source), compiler(name))
    place, _, what = error.value.summary.partition(": ")
    assert (place, said in what) == (f"{source}:{line}", True)
    assert "\n" not in error.value.summary
    assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["k.cpp"]


def test_constants_of_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    source = tmp_path / "k.cpp"
    source.write_text(KERNEL.replace("0, 3, 0", "0, rows, 0"))
    assert tilelab(capsys, "build", source).complaint.startswith(f"{source}:6: ")
    done = tilelab(capsys, "build", source, "-D", "rows=0x3", "--json")
    assert done.code == 0
    elfs = json.loads(done.out)["elfs"]
    assert [elf["core"] for elf in elfs] == ["trisc0", "trisc1", "trisc2"]
    assert all(Path(elf["elf"]).exists() for elf in elfs)


def test_of_several_targets_each_is_tried(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good, bad = tmp_path / "good" / "k.cpp", tmp_path / "bad.cpp"
    good.parent.mkdir()
    good.write_text(KERNEL)
    bad.write_text(KERNEL.replace("3, 0", "nowhere"))
    done = tilelab(capsys, "build", bad, good, tmp_path / "none.cpp", "--json")
    told = json.loads(done.out)
    assert done.code == 2
    assert [item["kernel"] for item in told["failed"]] == [str(bad), str(tmp_path / "none.cpp")]
    assert [Path(elf["elf"]).parent for elf in told["elfs"]] == [good.parent] * 3
    assert f"{bad}:6: " in done.err
    assert "none.cpp: no such file" in done.err


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["nope.cpp"], "nope.cpp: no such file"),
        (["k.cpp", "-D", "a"], "-D a: not NAME=VALUE"),
        (["k.cpp", "-D", "3=4"], "-D 3=4: not NAME=VALUE"),
        (["k.cpp", "-D", "a=0x100000000"], "-D a=0x100000000: not a 32-bit value"),
        (["k.cpp", "--arch", "grayskull"], "Invalid value for '--arch': 'grayskull' is not one of"),
        (["k.cpp", "--compiler", "no-such-g++"], "no-such-g++: no such compiler: "),
    ],
)
def test_bad_arguments(
    arguments: list[str], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    done = tilelab(capsys, "build", *arguments)
    assert (done.code, done.complaint.startswith(complaint)) == (2, True)


def test_without_any_compiler_the_cure_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tilelab.build.compilers.find_spec", lambda name: None)
    monkeypatch.setattr("tilelab.build.compilers.which", lambda name: None)
    pip = "pip install 'tilelab[build]'"
    cures = {"": pip, "zig": pip, "gcc": "is not installed: apt install gcc-riscv64-unknown-elf"}
    for choice, cure in cures.items():
        with pytest.raises(BadInputError, match=re.escape(cure)):
            find_compiler(choice)


def test_warnings_are_told_once_and_not_swallowed_by_the_cache(tmp_path: Path) -> None:
    source = tmp_path / "k.cpp"
    source.write_text(KERNEL.replace("    MATH", "    if (int x = 3; x = 4) {}\n    MATH"))
    for _ in range(2):
        said: list[str] = []
        build_kernel(source_kernel(source), find_compiler(), note=said.append)
        assert len(said) == 1
        assert "k.cpp:6" in said[0]


def test_first_error_of_messages_without_one() -> None:
    assert first_error("warning: nothing\n", Path("k.cpp")) == ""


@pytest.mark.parametrize("name", COMPILERS)
@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("    MATH", '    asm(".zero 20000"); MATH', "its code is"),
        ("namespace NAMESPACE", "int table[3000];\nnamespace NAMESPACE", "its variables are"),
    ],
)
def test_what_does_not_fit_the_core(
    name: str, old: str, new: str, said: str, tmp_path: Path
) -> None:
    source = tmp_path / "k.cpp"
    source.write_text(KERNEL.replace(old, new, 1))
    with pytest.raises(BadInputError) as error:
        build_kernel(source_kernel(source), compiler(name))
    summary = error.value.summary
    assert summary.startswith(f"{source}: does not link for trisc0: {said} ")
    assert summary.endswith("longer than the core has room for")


def test_zig_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    assert isinstance(find_compiler(), Zig)
    assert build_module.MARK.endswith(" ")
