"""Scores of kernels: what is right, what is wrong, and limits that hold."""

import json
import os
import shutil
import time
from pathlib import Path

import jsonschema
import numpy as np
import pytest

import tilelab
from tilelab.cli.main import main
from tilelab.runs.processes import Limits, sweep
from tilelab.score.apart import wanted_of
from tilelab.score.one import LONGEST, Wanted, score_one, short
from tilelab.score.result import Score, document
from tilelab.sim.errors import BadInputError

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "examples"
SCHEMA = json.loads((ROOT / "docs" / "score.schema.json").read_text(encoding="utf-8"))


@pytest.fixture
def datacopy(tmp_path: Path) -> Path:
    return Path(shutil.copytree(EXAMPLES / "datacopy", tmp_path / "datacopy"))


def edit(folder: Path, before: str, after: str) -> None:
    path = folder / "kernel.toml"
    text = path.read_text(encoding="utf-8")
    assert before in text
    path.write_text(text.replace(before, after), encoding="utf-8")


def scored(folder: Path, **given: int) -> Score:
    return score_one(Wanted(folder / "kernel.toml", folder.name, **given))


def test_a_right_kernel_is_right_of_every_number(datacopy: Path) -> None:
    score = scored(datacopy, schedules=3)
    assert (score.correct, score.category, score.exit_code) == (True, "", 0)
    assert score.ulp.asked == 1 << 16
    assert score.ulp.worst.ulp == 0
    assert score.cycles.low <= min(score.cycles.placements)
    assert score.cycles.high >= max(score.cycles.placements)
    assert score.schedules == 3
    assert set(score.code) == {"trisc0", "trisc1", "trisc2"}


def test_a_wrong_formula_is_a_wrong_result(datacopy: Path) -> None:
    edit(datacopy, 'expect = "a"', 'expect = "relu(a)"')
    score = scored(datacopy)
    assert (score.correct, score.category, score.exit_code) == (False, "WrongResult", 1)
    assert "elements wrong" in score.message


def test_numbers_beyond_the_limit_are_inexact(datacopy: Path) -> None:
    edit(datacopy, 'expect = "a"', 'expect = "a * 1.03125"\ntolerance = { relative = 0.1 }')
    score = scored(datacopy)
    assert (score.correct, score.category) == (False, "Inexact")
    assert "numbers are not within 0 ulp" in score.message
    edit(datacopy, "ulp = 0", "ulp = 9")
    assert scored(datacopy).correct


def test_nan_counts_where_no_domain_leaves_it_out(datacopy: Path) -> None:
    edit(datacopy, "domain = [-inf, inf]\n", "")
    score = scored(datacopy)
    assert score.category == "Inexact"
    assert score.ulp.worst.input != score.ulp.worst.input


def test_an_output_with_nothing_to_compare_is_not_right(datacopy: Path) -> None:
    edit(datacopy, 'expect = "a"\nexact = "exact.npy"\n', "")
    edit(datacopy, '[score]\nsweep = "a"\ndomain = [-inf, inf]\nulp = 0\n', "")
    score = scored(datacopy)
    assert (score.correct, score.category) == (False, "WrongResult")
    assert "give it an expect" in score.message


def test_the_document_is_what_its_schema_says_and_the_same_each_time(datacopy: Path) -> None:
    bad = datacopy.parent / "bad"
    bad.mkdir()
    (bad / "kernel.toml").write_text("elfs = 3")
    made = [document([scored(datacopy), scored(bad)]) for _ in range(2)]
    jsonschema.validate(made[0], SCHEMA)
    assert json.dumps(made[0]) == json.dumps(made[1])
    assert made[0]["scores"][1]["category"] == "BadInput"


def test_the_command_prints_the_document(
    datacopy: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["score", str(datacopy), "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    jsonschema.validate(printed, SCHEMA)
    assert printed == document(tilelab.score(datacopy))


def test_a_kernel_that_deadlocks_says_so(datacopy: Path) -> None:
    edit(datacopy, 'trisc0 = "unpack.elf", ', "")
    edit(datacopy, "trisc0 = 0x1FFB8, ", "")
    score = scored(datacopy)
    assert (score.category, score.exit_code) == ("Deadlock", 1)


def test_rounds_are_limited(datacopy: Path) -> None:
    score = scored(datacopy, max_cycles=100)
    assert (score.category, score.exit_code) == ("CycleLimit", 1)


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ('sweep = "a"', 'sweep = "b"', "choose from a"),
        ("domain = [-inf, inf]", "domain = [1, 0]", "is not a list of two numbers"),
        ("domain = [-inf, inf]", 'domain = ["a", 0]', "is not a list of two numbers"),
        ("ulp = 0", "ulp = -1", "is not a finite number of at least 0"),
        ('sweep = "a"', "", "score.sweep: missing"),
        ('expect = "a"', 'expect = "a +"', "outputs[0].expect: 'a +' is neither"),
        ('expect = "a"', 'expect = "sum(a)"', "has shape (), not (64, 64)"),
        ('expect = "a"', 'expect = "a.npy"', "no output of shape (64, 64) expects a formula"),
        ("ulp = 0", "ulp = 0\nlimit = 3", "unknown key"),
    ],
)
def test_a_table_that_means_nothing_is_bad_input(
    datacopy: Path, before: str, after: str, message: str
) -> None:
    edit(datacopy, before, after)
    score = scored(datacopy)
    assert (score.category, score.exit_code) == ("BadInput", 2)
    assert message in score.message


def test_two_inputs_of_one_name_are_refused(datacopy: Path) -> None:
    (datacopy / "other").mkdir()
    np.save(datacopy / "other" / "a.npy", np.zeros((64, 64), np.float32))
    edit(datacopy, "[[outputs]]", '[[inputs]]\nfile = "other/a.npy"\naddress = 0x40000\n'
         'format = "bf16"\nlayout = "tile"\n\n[[outputs]]')  # fmt: skip
    assert "two files are called a.npy" in scored(datacopy).message


def test_a_function_that_never_returns_ends_with_all_it_started(datacopy: Path) -> None:
    told, tell = os.pipe()  # the function may write nowhere else
    (datacopy / "slow.py").write_text(
        "import os, time\n"
        "def f(a):\n"
        "    for _ in range(3):\n"
        "        if not os.fork():\n"
        "            time.sleep(600)\n"
        f"    os.write({tell}, str(os.getsid(0)).encode())\n"
        "    time.sleep(600)\n"
    )
    edit(datacopy, 'expect = "a"', 'expect = "slow.py:f"')
    [score] = tilelab.score(datacopy, seconds=3)
    assert (score.category, score.exit_code) == ("TimeLimit", 1)
    session = int(os.read(told, 20))
    os.close(told)
    os.close(tell)
    for _ in range(100):
        if not _in_session(session):
            break
        time.sleep(0.1)
    assert not _in_session(session)


def _in_session(session: int) -> list[str]:
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[3]) == session and fields[0] != "Z":
            found.append(stat.parent.name)
    return found


def test_memory_is_limited(datacopy: Path) -> None:
    (datacopy / "large.py").write_text("def f(a):\n    return bytearray(3 << 30)\n")
    edit(datacopy, 'expect = "a"', 'expect = "large.py:f"')
    [score] = tilelab.score(datacopy, memory=512)
    assert score.exit_code
    assert "MemoryError" in score.message or score.category == "MemoryLimit"


def test_one_that_fails_does_not_stop_the_others(datacopy: Path) -> None:
    bad = Path(shutil.copytree(datacopy, datacopy.parent / "bad"))
    edit(bad, 'expect = "a"', 'expect = "-a"')
    found = tilelab.score([bad, datacopy], jobs=2)
    assert [(one.name, one.correct) for one in found] == [("bad", False), ("datacopy", True)]


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"seconds": 0}, "seconds is"),
        ({"seconds": float("inf")}, "seconds is"),
        ({"memory": 0}, "memory is"),
        ({"schedules": -1}, "schedules is"),
        ({"jobs": 0}, "jobs is"),
        ({"source": "nosuch.cpp"}, "nosuch.cpp: no such file"),
    ],
)
def test_arguments_that_mean_nothing_are_refused(given: dict[str, object], message: str) -> None:
    with pytest.raises(BadInputError, match=message):
        tilelab.score(EXAMPLES / "datacopy", **given)


def test_a_source_is_for_one_kernel() -> None:
    with pytest.raises(BadInputError, match="one source is for one kernel"):
        wanted_of(EXAMPLES, EXAMPLES / "datacopy" / "kernel.cpp", 0, 100, "")


def test_messages_are_one_short_line() -> None:
    assert short("a\nb") == "a"
    assert len(short("x" * 1000)) == LONGEST


def test_a_process_with_a_limit_is_replaced(tmp_path: Path) -> None:
    jobs = [Wanted(tmp_path, name) for name in ("quick", "slow", "quick")]
    found = dict(sweep(jobs, 1, lambda running: None, _sleepy, Limits(seconds=1.0)))
    assert [found[0], found[2]] == ["quick", "quick"]
    assert found[1].outcome.category == "TimeLimit"


def _sleepy(job: Wanted) -> str:
    if job.name == "slow":
        time.sleep(60)
    assert os.getsid(0) == os.getpid()
    return job.name
