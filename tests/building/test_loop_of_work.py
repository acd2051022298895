"""The loop of work: make a kernel, change it, build it, run it, look at it, compare it."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from cli.command import tilelab
from tilelab.build.fresh import stale, variants
from tilelab.sim.errors import BadInputError
from tilelab.tensix import read_kernel_file, run_kernel

pytest_plugins = ("pytester",)
Capture = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A new kernel, built."""
    folder = tmp_path_factory.mktemp("made") / "mine"
    command = [sys.executable, "-m", "tilelab", "new", str(folder)]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    return folder


@pytest.fixture
def mine(made: Path, tmp_path: Path) -> Path:
    """A copy of it to change."""
    return shutil.copytree(made, tmp_path / "mine")


def change(folder: Path, old: str, new: str) -> None:
    source = folder / "kernel.cpp"
    text = source.read_text()
    assert old in text
    source.write_text(text.replace(old, new))


def test_a_new_kernel_passes_and_knows_its_editor(made: Path) -> None:
    assert run_kernel(made).passed
    assert stale(read_kernel_file(made)) == ""
    commands = json.loads((made / "compile_commands.json").read_text())
    assert [Path(entry["file"]).name for entry in commands] == ["kernel.cpp"] * 3
    generated = next(a[2:] for a in commands[0]["arguments"] if a.endswith(".tilelab"))
    assert "num_tiles = 0x4" in Path(generated,
                                     "tilelab_build.h").read_text()  # fmt: skip


def test_the_editors_command_compiles(made: Path, tmp_path: Path) -> None:
    entry = json.loads((made / "compile_commands.json").read_text())[0]
    options = [a for a in entry["arguments"][1:-2] if not a.startswith("--target")]
    clang = [sys.executable, "-m", "ziglang", "c++", "-target", "riscv32-freestanding-none"]
    done = subprocess.run(
        [*clang, *options, "-S", "-o", str(tmp_path / "s"), entry["file"]],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


def test_another_chip_is_a_reason_to_build(mine: Path) -> None:
    toml = mine / "kernel.toml"
    toml.write_text(toml.read_text().replace('"blackhole"', '"wormhole"'))
    changed = (
        "kernel.cpp or kernel.toml has changed since unpack.elf, math.elf, pack.elf were built"
    )
    assert stale(read_kernel_file(mine)) == changed


def test_new_refuses_what_is_there(made: Path, capsys: Capture) -> None:
    outcome = tilelab(capsys, "new", made)
    assert outcome.code == 2
    assert outcome.complaint == f"{made} exists already"


def test_new_without_a_compiler_makes_the_folder(tmp_path: Path, capsys: Capture) -> None:
    outcome = tilelab(capsys, "new", tmp_path / "k", "--no-build", "--json")
    files = json.loads(outcome.out)["files"]
    assert "kernel.cpp" in files
    assert "math.elf" not in files


def test_run_build_notices_the_source(mine: Path, capsys: Capture) -> None:
    assert tilelab(capsys, "run", "--build", mine).err == ""
    change(mine, "pack_tile(0, cb_out)", "pack_tile(1, cb_out)")
    plain = tilelab(capsys, "run", mine)
    assert plain.code == 0
    assert "kernel.cpp or kernel.toml has changed since" in plain.out
    built = tilelab(capsys, "run", "--build", mine)
    assert built.err.startswith("mine: built, because kernel.cpp or kernel.toml has changed")
    assert built.code == 1
    assert "looks never written: every wrong element is 0" in built.out


def test_run_build_notices_headers_and_missing_elfs(mine: Path, capsys: Capture) -> None:
    (mine / "mine.h").write_text("")
    os.utime(mine / "mine.h", (2e9, 2e9))
    assert stale(read_kernel_file(mine)) == "mine.h is newer than the ELFs"
    (mine / "mine.h").unlink()
    (mine / "math.elf").unlink()
    assert tilelab(capsys, "run", mine).code == 2
    assert tilelab(capsys, "run", "--build", mine).err.startswith("mine: built, because math.elf")


def test_what_does_not_compile_is_one_line(mine: Path, capsys: Capture) -> None:
    change(mine, "pack_tile(0, cb_out);", "pack_tile(0, cb_out)")
    outcome = tilelab(capsys, "run", "--build", mine)
    assert outcome.code == 2
    assert "kernel.cpp:" in outcome.complaint


def test_constants_are_swept(mine: Path, capsys: Capture) -> None:
    outcome = tilelab(capsys, "run", "-D", "num_tiles=2,4", mine, "--json")
    kernels = json.loads(outcome.out)["kernels"]
    assert [(k["name"], k["passed"]) for k in kernels] == [
        ("mine num_tiles=2", False),
        ("mine num_tiles=4", True),
    ]
    assert kernels[0]["outputs"][0]["diagnosis"][-1].endswith("the second half of the output")
    assert kernels[0]["outputs"][0]["diagnosis"][0] == (
        "built with num_tiles = 2; kernel.toml's arrays are compared as they are, for num_tiles = 4"
    )
    assert kernels[1]["outputs"][0]["diagnosis"] == []
    assert kernels[0]["cycles"] < kernels[1]["cycles"]
    assert "num_tiles = 4" in (mine / "kernel.toml").read_text()
    assert stale(read_kernel_file(mine)) == ""


def test_a_constant_that_the_data_does_not_serve_is_told_with_the_failure(
    mine: Path, capsys: Capture
) -> None:
    outcome = tilelab(capsys, "run", "-D", "num_tiles=8", mine)
    assert outcome.code == 1
    assert outcome.err.startswith("tilelab: Deadlock")
    assert outcome.err.splitlines()[-1].strip() == (
        "built with num_tiles = 8; kernel.toml's arrays are compared as they are, for num_tiles = 4"
    )


@pytest.mark.parametrize(
    ("definitions", "said"),
    [
        (["tiles=2"], "has no constant 'tiles'; it has num_tiles"),
        (["num_tiles"], "-D num_tiles: not NAME=VALUE"),
        (["num_tiles=1", "num_tiles=2"], "comes twice"),
        (["num_tiles=x"], "'x' is not a number"),
    ],
)
def test_bad_constants(made: Path, capsys: Capture, definitions: list[str], said: str) -> None:
    options = [part for text in definitions for part in ("-D", text)]
    outcome = tilelab(capsys, "run", *options, made)
    assert outcome.code == 2
    assert said in outcome.complaint


def test_variants_are_a_product() -> None:
    assert list(variants(["a=1,2", "b=0x10"])) == [{"a": 1, "b": 16}, {"a": 2, "b": 16}]
    many = ",".join(map(str, range(40)))
    with pytest.raises(BadInputError, match="more than 1000"):
        list(variants([f"a={many}", f"b={many}"]))


def test_compare_explains_exactly(mine: Path, made: Path, capsys: Capture) -> None:
    change(mine, "add_tiles(cb_a, cb_b, 0, 0, 0);", "add_tiles(cb_a, cb_b, 0, 0, 0); "
           "MATH((load_replay_buf(0, 1, [] { TTI_NOP; }))); "
           "MATH(for (int j = 0; j < 300; ++j) { lltt::replay(0, 1); })")  # fmt: skip
    assert tilelab(capsys, "build", mine).code == 0
    outcome = tilelab(capsys, "compare", made, mine, "--json")
    assert outcome.code == 0
    found = json.loads(outcome.out)["difference"]
    grew = found["cycles"]["after"] - found["cycles"]["before"]
    assert grew > 300
    for part in found["threads"]:
        assert sum(c["after"] - c["before"] for c in part["changes"]) == grew
    assert found["outputs"] == [{"output": 0, "elements": 4096, "differ": 0}]
    assert found["explanation"].startswith("T1 math: ")
    assert found["explanation"].endswith(f"= {grew:+,} cycles")
    text = tilelab(capsys, "compare", made, mine).out
    assert "output 0: the same" in text
    assert f"{grew:+,}" in text


def test_compare_wants_two_kernels(made: Path, capsys: Capture) -> None:
    assert tilelab(capsys, "compare", made, "nosuch").code == 2
    assert tilelab(capsys, "compare", made, made).out.count("the same") == 2


def test_pytest_collects_kernels(
    mine: Path, made: Path, tmp_path: Path, pytester: pytest.Pytester
) -> None:
    kernels = tmp_path / "kernels"
    shutil.copytree(made, kernels / "good")
    shutil.copytree(mine, kernels / "bad")
    np.save(kernels / "bad" / "c.npy", -np.load(mine / "c.npy"))
    (kernels / "test_more.py").write_text(
        "def test_it(kernel_result):\n    assert kernel_result('good').passed\n"
    )
    command = ("-p", "no:cacheprovider", str(kernels))
    report = tmp_path / "junit.xml"
    ran = pytester.runpytest_subprocess(*command, f"--junitxml={report}")
    ran.assert_outcomes(passed=2, failed=1)
    ran.stdout.fnmatch_lines(["*kernel bad*", "<FAIL bad,*", "looks negated:*"])
    assert 'name="cycles"' in report.read_text()
    pytester.runpytest_subprocess(*command, "-k", "good").assert_outcomes(passed=1, deselected=2)
    pytester.runpytest_subprocess(*command, "--no-tilelab-kernels").assert_outcomes(passed=1)


def test_pytest_builds_if_asked(mine: Path, pytester: pytest.Pytester) -> None:
    change(mine, "pack_tile(0, cb_out)", "pack_tile(1, cb_out)")
    command = ("-p", "no:cacheprovider", str(mine))
    ran = pytester.runpytest_subprocess(*command)
    ran.assert_outcomes(passed=1, warnings=1)
    pytester.runpytest_subprocess(*command, "--tilelab-build").assert_outcomes(failed=1)


def test_pytest_shows_a_deadlock_without_a_traceback(mine: Path, pytester: pytest.Pytester) -> None:
    change(mine, "cb_push_back(cb_out, 1);", "")
    change(mine, "tile_regs_commit();", "")
    command = ("--tilelab-build", str(mine))
    ran = pytester.runpytest_subprocess(*command)
    ran.assert_outcomes(failed=1)
    ran.stdout.fnmatch_lines(["Deadlock at cycle*"])
    ran.stdout.no_fnmatch_line("*Traceback*")
