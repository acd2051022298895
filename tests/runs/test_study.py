"""Many kernels as one call, a kernel built by one call, and what each gives back."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import tilelab
from tilelab import BadInputError, FailedRun, KernelResult, Tile, run_kernels
from tilelab.build.compilers import find_compiler
from tilelab.cli.main import main

EXAMPLES = tilelab.examples()


def test_results_come_in_the_order_of_the_kernels() -> None:
    names = ["matmul", "datacopy", "eltwise_add"]
    found = run_kernels([EXAMPLES[name] for name in names], clock="cycle", jobs=2)
    assert [one.name for one in found] == names
    assert all(one.passed and one.error is None for one in found)
    assert all(one.breakdown is not None and one.breakdown.cycles == one.cycles for one in found)


def test_a_result_as_data_is_what_the_command_prints(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", str(EXAMPLES["datacopy"]), "--cycles", "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)["kernels"][0]
    assert len(printed.pop("placements")) == 8  # more runs, which the command makes
    (found,) = run_kernels(EXAMPLES["datacopy"], clock="cycle")
    assert json.loads(json.dumps(found.to_dict())) == printed


def test_a_row_has_numbers_and_texts_alone() -> None:
    for clock in "functional", "cycle":
        (found,) = run_kernels([EXAMPLES["matmul"]], clock=clock)
        row = found.row()
        assert all(isinstance(value, str | int | float) for value in row.values())
        assert ("bound" in row) == (clock == "cycle")


def test_a_run_that_fails_is_one_among_the_others(tmp_path: Path) -> None:
    (tmp_path / "hang.s").write_text("ttmvmul 0,0,0,0\n")
    missing, hang, good = run_kernels([tmp_path / "no", tmp_path / "hang.s", EXAMPLES["datacopy"]])
    assert isinstance(missing, FailedRun)
    assert isinstance(hang, FailedRun)
    assert isinstance(good, KernelResult)
    assert isinstance(missing.error, BadInputError)
    assert isinstance(hang.error, tilelab.DeadlockError)
    assert hang.to_dict()["error"]["category"] == "Deadlock"
    assert hang.row()["error"].startswith("Deadlock: ")
    assert not hang.passed


def compiler() -> str:
    """A compiler's name, or a skip."""
    try:
        return find_compiler("").name
    except BadInputError as error:
        pytest.skip(error.summary)


def test_constants_make_a_run_for_each_of_their_combinations(tmp_path: Path) -> None:
    compiler()
    assert main(["new", str(tmp_path / "sum"), "--no-build"]) == 0
    found = run_kernels(tmp_path / "sum", constants={"num_tiles": [2, 4]}, clock="cycle")
    assert [dict(one.constants) for one in found] == [{"num_tiles": 2}, {"num_tiles": 4}]
    assert found[1].passed
    assert found[0].cycles is not None
    assert found[1].cycles is not None
    assert found[0].cycles < found[1].cycles
    assert found[1].to_dict()["constants"] == {"num_tiles": 4}
    assert not list((tmp_path / "sum").glob("*.elf"))


def test_a_kernel_is_built_by_one_call(tmp_path: Path) -> None:
    compiler()
    assert main(["new", str(tmp_path / "sum"), "--no-build"]) == 0
    built = tilelab.build(tmp_path / "sum", folder=tmp_path / "out")
    assert sorted(path.parent.name for path in built.elfs.values()) == ["out"] * len(built.elfs)
    assert tilelab.run_kernel(built).passed
    (tmp_path / "sum" / "kernel.cpp").write_text("no C++\n")
    with pytest.raises(BadInputError, match=r"kernel\.cpp:1"):
        tilelab.build(tmp_path / "sum")


def test_a_program_of_several_threads_is_pushed_in_one_call() -> None:
    text = "\n".join(f".thread {t}\n" + "ttincrwc 0,8,0,0\n" * 40 for t in range(3))
    for program in text, tilelab.assemble(text):
        tile = Tile()
        tile.push(program)
        tile.run()
        assert [tile.state.rwc["dst"][t] for t in range(3)] == [320] * 3


def test_a_pushed_program_sets_its_mop_up() -> None:
    words = ["ttnop", "ttnop", "ttnop", "ttincrwc 0,8,0,0", "ttnop", "ttincrwc 0,8,0,0", "ttnop"]
    cfg = [
        ".mopcfg 0, 1",
        ".mopcfg 1, 5",
        *(f".mopcfg {2 + i}, {{ {w} }}" for i, w in enumerate(words)),
    ]
    tile = Tile()
    tile.push("\n".join([*cfg, "ttmop 1,0,0"]))
    tile.run()
    assert tile.state.rwc["dst"][1] == 40


def test_the_state_shows_its_parts() -> None:
    shown = repr(Tile().state)
    assert shown.startswith("<the state of a blackhole tile>")
    assert "  dst: uint16 1024x16\n" in shown
    assert "  semaphore: record 8\n" in shown


def test_every_name_comes_from_one_place() -> None:
    assert set(tilelab.tensix.__all__) < set(tilelab.__all__)
    for name in tilelab.__all__:
        assert callable(getattr(tilelab, name)) or name == "__version__"
    assert "run_kernels" in dir(tilelab)


MATMUL = EXAMPLES["matmul"]
WRONG: list[Callable[[Tile], Any]] = [
    lambda t: t.push([1]),
    lambda t: t.push(1.5),
    lambda t: t.push("ttnopx"),
    lambda t: t.push("ttnop", thread=2),
    lambda t: t.push(tilelab.assemble("ttnop", "wormhole")),
    lambda t: t.execute("x"),
    lambda t: t.write(0x21000, [1, 2, 3]),
    lambda t: t.read("a", 1),
    lambda t: t.reg_read("x"),
    lambda t: t.load_elf(3, "trisc0"),
    lambda t: t.run("x"),
    lambda t: t.run(until=3),
    lambda t: t.observe(3),
    lambda t: t.trace(3),
    lambda t: t.start(3),
    lambda t: t.dst(3),
    lambda t: t.set_policy(1, 2),
    lambda t: t.write_mop_cfg("x", 2),
    lambda t: tilelab.expand("ttnop"),
    lambda t: tilelab.expand(3),
    lambda t: tilelab.assemble(3),
    lambda t: tilelab.disassemble("x"),
    lambda t: tilelab.run_kernel(None),
    lambda t: tilelab.run_kernel(MATMUL, tile=3),
    lambda t: tilelab.run_kernel(MATMUL, max_cycles="q"),
    lambda t: tilelab.breakdown(3),
    lambda t: tilelab.line_times(3),
    lambda t: tilelab.Recording(3),
    lambda t: Tile(3),
    lambda t: tilelab.Chip("q"),
    lambda t: tilelab.Chip(tiles=3),
    lambda t: tilelab.Chip(tiles=[3]),
    lambda t: tilelab.build(None),
    lambda t: tilelab.build("nosuch.cpp"),
    lambda t: tilelab.build(MATMUL, arch="wormhole"),
    lambda t: run_kernels(3),
    lambda t: run_kernels([""]),
    lambda t: run_kernels(["-"]),
    lambda t: run_kernels(b"x"),
    lambda t: run_kernels(MATMUL, jobs=0),
    lambda t: run_kernels(MATMUL, max_cycles=0),
    lambda t: run_kernels("x", clock="q"),
    lambda t: run_kernels("x", engine="q"),
    lambda t: run_kernels(MATMUL, constants={"num": "x"}),
    lambda t: run_kernels(MATMUL, constants=3),
    lambda t: tilelab.explain_matmul(3, 4),
    lambda t: tilelab.matmul_errors("q"),
]


@pytest.mark.parametrize("attempt", WRONG)
def test_a_wrong_argument_is_bad_input(attempt: Callable[[Tile], Any]) -> None:
    with pytest.raises(BadInputError) as caught:
        attempt(Tile(engine="reference"))
    assert "\n" not in caught.value.summary
