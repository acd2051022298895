"""`tilelab pto`: exit codes, one clear line, JSON, files written; and the examples."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from pto_harness import pto

EXAMPLES = Path(__file__).parents[2] / "examples" / "pto"
GOOD = sorted(
    p.name for p in EXAMPLES.iterdir() if p.suffix in (".py", ".pto") and p.stem != "deadlock"
)


@pytest.mark.parametrize("name", GOOD)
def test_examples_pass_their_own_check(name):
    outcome = pto("run", EXAMPLES / name)
    assert outcome.exit_code == 0, outcome.output
    assert ("pushes" in outcome.stdout) == (name != "three_slots.py")


@pytest.mark.parametrize(
    "name", [name for name in GOOD if name.startswith("pattern") and name.endswith("py")]
)
def test_examples_can_fail(name, tmp_path):
    text = (EXAMPLES / name).read_text(encoding="utf-8")
    broken = text.replace(".append(", ".append(1 + ")
    assert broken != text
    target = tmp_path / name
    target.write_text(broken, encoding="utf-8")
    outcome = pto("run", target)
    assert outcome.exit_code == 1
    assert "wrong result" in outcome.stderr
    assert "Traceback" not in outcome.output


def test_deadlock_exits_1_with_the_report_and_the_page(tmp_path):
    page, trace = tmp_path / "page.html", tmp_path / "trace.json"
    outcome = pto("run", EXAMPLES / "deadlock.py", "--json", "--report", page, "--trace", trace)
    assert outcome.exit_code == 1
    document = json.loads(outcome.stdout)
    assert (document["ok"], document["error"]["kind"]) == (False, "DeadlockError")
    assert document["deadlock"]["cause"] == "H3"
    assert document["deadlock"]["waits"][0]["core"] == "cube"
    assert outcome.stderr.startswith("tilelab: deadlock: cube waits for flag 1 in TPUSH of tile 4")
    html = page.read_text(encoding="utf-8")
    assert "TFREE is missing" in html
    assert "<svg" in html
    assert not any(word in html for word in ("http://", "https://", "<script")) or (
        html.count("http") == html.count("http://www.w3.org/2000/svg")
    )
    events = json.loads(trace.read_text())["traceEvents"]
    assert {"X", "M", "C", "s", "f"} == {event["ph"] for event in events}


def test_json_of_an_ir_run(tmp_path):
    np.save(tmp_path / "acc.npy", np.full((64, 64), 2.0))
    outcome = pto(
        "run", EXAMPLES / "pattern1.pto", "--json", "--arg", f"acc={tmp_path / 'acc.npy'}"
    )
    assert outcome.exit_code == 0
    document = json.loads(outcome.stdout)
    assert document["ok"]
    assert [tile["sum"] for tile in document["popped"]["vec1"]] == [8192.0] * 10
    assert document["rings"]["TPipe0.C2V"]["pushes"] == 10


def test_stdin_takes_both_languages():
    for name in ("pattern1.pto", "pattern3_sparse_sync.py"):
        outcome = pto("run", "-", stdin=(EXAMPLES / name).read_text(encoding="utf-8"))
        assert outcome.exit_code == 0, outcome.output


BAD = [
    (["run", "missing.py"], None, "missing.py: No such file or directory"),
    (["run", "x.txt"], None, "x.txt: No such file or directory"),
    (["run", "-"], "def cube(core:\n", "-:1: '(' was never closed"),
    (["run", "-"], "import nothing_of_that_name", "ModuleNotFoundError"),
    (["run", "-"], "raise SystemExit(3)", "SystemExit: 3"),
    (["run", "-"], "x = 1", "defines neither cube(core) nor vec(core)"),
    (["run", "-"], "cluster = {'arch': 'a7'}\ndef cube(core): yield", "no architecture 'a7'"),
    (["run", "-"], "cluster = {'size': 1}\ndef cube(core): yield", "unexpected keyword argument"),
    (["run", "-", "--arch", "cpu"], "def cube(core): yield", "'cpu' is not one of"),
    (["run", "-", "--schedule", "fast"], "def cube(core): yield", "no schedule 'fast'"),
    (["run", "-", "--arg", "x=1"], "def cube(core): yield", "--arg is for .pto files"),
    (
        ["run", "-"],
        "module { func.func @f() { pto.frob } }",
        "line 1: unknown operation 'pto.frob'",
    ),
    (["run", "-"], "module { }", "no function has a body"),
    (["run", "-"], "module { func.func @f( }", "line 1: expected value"),
    (["explore", "--slots", "0"], None, "--slots 0: from 1 to 64"),
    (["explore", "--slots", "many"], None, "--slots many: write a number"),
    (["explore", "--direction", "UP"], None, "'UP' is not one of"),
    (["explore", "--arch", "a9"], None, "'a9' is not one of"),
    (["explore", "--protocol", "x"], None, "no protocol 'x'; there are seed"),
    (["explore", "--direction", "C2V_GM"], None, "DIR_C2V_GM does not exist on a2a3"),
    (["explore", "--cube", "pull"], None, "no operation 'pull'"),
    (["explore", "--vec", "3"], None, "--vec"),
    (["explore", "--case", "x"], None, "--case is for tilelab pto explore kernel"),
    (["explore", "--arg", "x=1"], None, "--arg is for tilelab pto explore program and kernel"),
    (["explore", "-", "--slots", "4"], "", "--slots is for tilelab pto explore pipe"),
    (["explore", "x.py", "-D", "N=4"], None, "-D is for tilelab pto explore kernel"),
]


@pytest.mark.parametrize(("arguments", "stdin", "message"), BAD)
def test_bad_input_is_one_line_and_exit_2(arguments, stdin, message):
    outcome = pto(*arguments, stdin=stdin)
    assert outcome.exit_code == 2, outcome.output
    assert message in outcome.stderr
    assert outcome.stdout == ""
    assert "Traceback" not in outcome.stderr


FAILING = [
    ("def cube(core):\n    yield\n    1 / 0", "-:3: ZeroDivisionError: division by zero"),
    (
        "def cube(core):\n    yield\ndef check(result):\n    assert 1 == 2, 'no'",
        "-:4: wrong result: no",
    ),
    ("def cube(core):\n    while True: yield\n", "did not end within 1 s"),
]


@pytest.mark.parametrize(("text", "message"), FAILING)
def test_a_failing_program_is_exit_1(text, message):
    outcome = pto("run", "-", "--timeout", "1", stdin=text)
    assert outcome.exit_code == 1
    assert message in outcome.stderr
    assert "Traceback" not in outcome.stderr


def test_explore_json_and_exit_codes():
    good = pto("explore", "--slots", "1-3", "--json")
    assert good.exit_code == 0
    assert [v["model"]["slots"] for v in json.loads(good.stdout)["verdicts"]] == [1, 2, 3]
    bad = pto("explore", "--slots", "16", "--json")
    assert bad.exit_code == 1
    document = json.loads(bad.stdout)
    assert (document["safe"], document["verdicts"][0]["found"][0]["kind"]) == (
        False,
        "flag-overflow",
    )
    text = pto("explore", "--slots", "5", "--protocol", "sparse", "--vec", "1")
    assert "SlotNum 5: overrun [E10]: C2V tile 5 overwrites tile 0" in text.stdout
    assert "any number of tiles" in pto("explore").stdout
    assert "--use-after-pop" in pto("explore", "--arch", "a5").stdout


@pytest.mark.parametrize(
    ("kind", "arguments"),
    [("pipe", ["--slots", "2", "--json"]), ("program", [EXAMPLES / "both_directions.pto"])],
)
def test_explore_tells_by_the_file_which_of_its_commands_is_meant(kind, arguments):
    assert pto("explore", *arguments) == pto("explore", kind, *arguments)


def test_explore_wants_of_a_kernel_what_builds_it():
    outcome = pto("explore", "kernel.cpp")
    assert (outcome.exit_code, outcome.stderr) == (2, "tilelab: Missing option '--pto-isa'.\n")


def test_json_of_what_is_no_number_is_json(tmp_path):
    np.save(tmp_path / "acc.npy", np.full((64, 64), np.inf))
    given = f"acc={tmp_path / 'acc.npy'}"
    outcome = pto("run", EXAMPLES / "pattern1.pto", "--json", "--arg", given)

    def refuse(constant):
        raise AssertionError(constant)

    document = json.loads(outcome.stdout, parse_constant=refuse)
    assert document["popped"]["vec1"][0]["sum"] == "inf"


def test_timeline_has_one_line_per_event():
    outcome = pto("run", EXAMPLES / "pattern3_sparse_sync.py", "--timeline", "--json")
    events = json.loads(outcome.stdout)["events"]
    shown = pto("run", EXAMPLES / "pattern3_sparse_sync.py", "--timeline").stdout.splitlines()
    assert sum(line[:1].isdigit() for line in shown) == events
