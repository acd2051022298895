"""Cases: what they say of words is so on both engines; what is wrong in one is said."""

from pathlib import Path

import pytest
from tests.cli.command import tilelab

from tilelab.debug.case import read_case, run_case
from tilelab.sim.errors import BadInputError

CASES = sorted(Path(__file__).parents[1].joinpath("cases").glob("*.case"))
ENGINES = ("reference", "fast")


def written(tmp_path: Path, *lines: str) -> Path:
    path = tmp_path / "report.case"
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_words_leave_what_a_case_says(path: Path, engine: str) -> None:
    assert run_case(read_case(path), engine) == []


@pytest.mark.parametrize("engine", ENGINES)
def test_what_differs_is_named_with_its_line(tmp_path: Path, engine: str) -> None:
    path = written(
        tmp_path, "lreg[1] = 2", "lreg[0] = 1", "> sfpmov L2,L1,0", "lreg[2] = 2", "lreg[2] = 3"
    )
    (line,) = run_case(read_case(path), engine)
    assert line.startswith(f"{path}:5: lreg[2] is 0x2 0x2")


def test_checks_and_waits_are_told_where_a_case_does_not_expect_them(tmp_path: Path) -> None:
    path = written(
        tmp_path, "> 0x9d000000", "fails unknown-opcode", "> 0x9d000000", "> ttmvmul 0,0,0,0",
        "fails unknown", "> ttnop", "waits",
    )  # fmt: skip
    found = run_case(read_case(path), "reference")
    assert [line.split(": ")[0].rpartition(":")[2] for line in found] == ["3", "5", "7"]
    assert "fails unknown-opcode" in found[0]
    assert "it waits" in found[1]
    assert found[2].endswith("waits: it does not")


@pytest.mark.parametrize(
    ("lines", "says"),
    [
        (["lreg[0] = 1"], "executes no word"),
        (["> sfpnop", "lreg"], "2: 'lreg' is not understood"),
        (["> sfpnop", "lreg[99] = 1"], "2: 'lreg[99]': 99 is not below"),
        (["> sfpnop", "lreg[0] = 1 2"], "2: 2 numbers, where 32 are"),
        (["rwc = 1", "> sfpnop"], "1: 'rwc' has parts: name one"),
        (["rwc[0].dst = -1", "> sfpnop"], "1: "),
        (["lreg[0] = x", "> sfpnop"], "1: "),
        (["ALU_ACC_CTRL_Fp32_enabled = 7", "> sfpnop"], "1: "),
        (["ALU_ACC_CTRL_Fp32_enabled =", "> sfpnop"], "1: "),
        (["> sfpnope"], "unknown mnemonic"),
        ([">"], "1: "),
    ],
)
def test_what_is_no_case_is_refused_in_a_line(tmp_path: Path, lines: list[str], says: str) -> None:
    with pytest.raises(BadInputError, match=r"^[^\n]*$") as raised:
        run_case(read_case(written(tmp_path, *lines)), "reference")
    assert says in raised.value.summary


def test_the_command_runs_both_engines(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    outcome = tilelab(capsys, "case", *CASES, "--json")
    assert outcome.code == 0
    wrong = written(tmp_path, "> sfpnop", "lreg[0] = 1")
    outcome = tilelab(capsys, "case", wrong, "--engine", "reference")
    assert outcome.code == 1
    assert outcome.out.startswith(f"FAIL  {wrong}\n  reference: {wrong}:2: lreg[0] is 0x0")
