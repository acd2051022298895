"""Many kernels at once: order, errors, processes that die, interrupts."""

import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from command import Outcome, tilelab
from rich.console import Console
from test_run import HALT, kernel, leaves

from tilelab.cli import run as run_command
from tilelab.runs.job import Job, Ran, Settings
from tilelab.runs.processes import in_order, sweep
from tilelab.sim.errors import TilelabError

REFERENCE = ("--engine", "reference")
SETTINGS = Settings("reference", 1000, (), False, False)


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Any:
    def call(*arguments: object) -> Outcome:
        return tilelab(capsys, "run", *REFERENCE, *arguments)

    return call


def folder(root: Path, **kernels: list[int]) -> Path:
    for name, words in kernels.items():
        (root / name).mkdir()
        kernel(root / name, words)
    return root


def jobs(*names: str) -> list[Job]:
    return [Job(name, "blackhole", Path(name), SETTINGS) for name in names]


def quiet(running: list[str]) -> None:
    """Progress that nobody watches."""


def eventually(condition: Any, seconds: float = 20.0) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.05)
    return False


# What the processes do in these tests, by the name of the job.


def play(job: Job) -> Ran:
    action, _, argument = job.name.partition(" ")
    if action == "sleep":
        time.sleep(float(argument))
    elif action == "until":
        assert eventually(Path(argument).exists, 60)
    elif action == "meet":
        Path(argument).touch()
        assert eventually(lambda: len(os.listdir(Path(argument).parent)) == 4, 60)
    elif action == "exit":
        os._exit(int(argument))
    elif action == "kill":
        os.kill(os.getpid(), int(argument))
    elif action == "pid":
        return Ran(str(os.getpid()), TilelabError("ran"))
    return Ran(job.name, TilelabError("ran"))


def outcomes(names: list[str], processes: int) -> list[str]:
    swept = in_order(sweep(jobs(*names), processes, quiet, play))
    return [str(ran.outcome) for ran in swept]


# ------------------------------------------------------------------ the processes


def test_the_order_is_that_of_the_jobs_whatever_finishes_first() -> None:
    names = ["sleep 2", "sleep 0", "sleep 0.1", "sleep 0"]  # workers start slowly under load
    finished = [number for number, _ in sweep(jobs(*names), 4, quiet, play)]
    assert finished[-1] == 0
    assert sorted(finished) == [0, 1, 2, 3]
    ordered = [ran.name for ran in in_order(sweep(jobs(*names), 4, quiet, play))]
    assert ordered == names


def test_jobs_run_at_once(tmp_path: Path) -> None:
    names = [f"meet {tmp_path / letter}" for letter in "abcd"]
    assert outcomes(names, 4) == ["ran"] * 4


def test_no_more_processes_than_asked_for() -> None:
    names = {ran.name for _, ran in sweep(jobs(*["pid"] * 12), 2, quiet, play)}
    assert 1 <= len(names) <= 2
    assert str(os.getpid()) not in names


def test_a_process_that_dies_is_the_outcome_of_its_job_alone() -> None:
    names = ["sleep 0", "exit 3", "kill 9", "sleep 0.1", "exit 0", "kill 11", "sleep 0"]
    died = "WorkerDied: the process that ran it"
    for processes in (1, 2, 7):
        assert outcomes(names, processes) == [
            "ran",
            f"{died} ended with exit code 3",
            f"{died} was ended by SIGKILL",
            "ran",
            f"{died} ended with exit code 0",
            f"{died} was ended by SIGSEGV",
            "ran",
        ]


def test_an_exception_in_the_consumer_ends_every_process() -> None:
    results = sweep(jobs("pid", "sleep 60"), 2, quiet, play)
    _, ran = next(results)
    results.close()
    with pytest.raises(ProcessLookupError):
        os.kill(int(ran.name), 0)


def test_progress_names_what_is_running(tmp_path: Path) -> None:
    first, second, third = (f"until {tmp_path / letter}" for letter in "abc")
    seen: list[list[str]] = []

    def tick(running: list[str]) -> None:
        seen.append(running)
        if third in running:
            (tmp_path / "c").touch()
            (tmp_path / "a").touch()
        (tmp_path / "b").touch()

    assert len(list(sweep(jobs(first, second, third), 2, tick, play))) == 3
    assert seen[0] == [first, second]
    assert [first, third] in seen


def test_nothing_to_do_is_done_at_once() -> None:
    assert list(sweep([], 4, quiet, play)) == []


# ------------------------------------------------------------------ the command


@pytest.mark.parametrize("count", [1, 3])
def test_every_kernel_has_its_row(run: Any, tmp_path: Path, count: int) -> None:
    folder(tmp_path, a=leaves(1, 2, 3, 5), b=[HALT], d=leaves(1, 2, 3, 4))
    (tmp_path / "c").mkdir()
    (tmp_path / "c" / "kernel.toml").write_text("elfs = ")
    outcome = run("--jobs", count, tmp_path)
    assert outcome.code == 2, "the worst of them: c cannot be run"
    lines = outcome.out[outcome.out.index("kernel  ") :].splitlines()
    assert [line.split()[:2] for line in lines[1:5]] == [
        ["a", "FAIL"], ["b", "Deadlock"], ["c", "BadInput"], ["d", "pass"],
    ]  # fmt: skip
    assert "1 of 4 elements wrong" in lines[1]
    assert "not valid TOML" in lines[3]
    assert lines[5] == "1 of 4 passed"
    document = json.loads(run("--jobs", count, tmp_path, "--json").out)["kernels"]
    assert [entry["name"] for entry in document] == ["a", "b", "c", "d"]
    assert [entry["passed"] for entry in document] == [False, False, False, True]
    assert document[2]["error"]["category"] == "BadInput"


def test_processes_change_nothing_but_the_time(run: Any, tmp_path: Path) -> None:
    folder(tmp_path, a=leaves(1, 2, 3, 4), b=leaves(1, 2, 3, 4))
    both = run(tmp_path, "--json", "--cycles")
    alone = [json.loads(run(tmp_path / n, "--json", "--cycles").out)["kernels"] for n in "ab"]
    assert json.loads(both.out)["kernels"] == [*alone[0], *alone[1]]


def test_a_defect_of_tilelab_is_a_row(
    run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise RuntimeError("a defect")

    monkeypatch.setattr("tilelab.runs.job.run_kernel", broken)
    outcome = run(folder(tmp_path, a=leaves(1), b=leaves(1)), "--json")
    assert outcome.code == 2
    for entry in json.loads(outcome.out)["kernels"]:
        assert entry["error"]["summary"] == "AssertionFailure: RuntimeError: a defect"
        assert "Traceback" in entry["error"]["detail"]


def test_wrong_options_end_a_sweep_before_it_starts(run: Any, tmp_path: Path) -> None:
    folder(tmp_path, a=leaves(1), b=leaves(1))
    for options, complaint in (
        (["--engine", "warp"], "Invalid value for '--engine': 'warp' is not one of"),
        (["--policy", "x=off"], "no check is called 'x'"),
        (["--jobs", "0"], "Invalid value for '--jobs'"),
        (["--jobs", "2", "--trace", "t"], "--jobs, --cluster and --trace (one at a time)"),
    ):
        outcome = run(tmp_path, *options)
        assert outcome.code == 2
        assert outcome.complaint.startswith(complaint)
        assert outcome.err.count("\n") == 1


def test_a_trace_of_several_kernels_has_all_of_them(run: Any, tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.s").write_text("ttnop\nttnop\n")
    trace = tmp_path / "trace.jsonl"
    assert run(tmp_path / "a.s", tmp_path / "b.s", "--trace", trace).code == 0
    assert len(trace.read_text().splitlines()) == 4


def test_kernels_of_one_name_are_told_apart(run: Any, tmp_path: Path) -> None:
    for path in ("one/k", "two/k", "two/other"):
        (tmp_path / path).mkdir(parents=True)
        kernel(tmp_path / path, leaves(1, 2, 3, 4))
    outcome = run(tmp_path, "--jobs", "1")
    shown = [line.split()[1] for line in outcome.out.splitlines() if line.startswith("PASS")]
    assert shown == ["one/k", "two/k", "other"]
    assert [line.split()[0] for line in outcome.out.splitlines()[-4:-1]] == shown
    again = run(tmp_path / "one", tmp_path / "one")
    assert [line.split()[1] for line in again.out.splitlines() if line.startswith("PASS")] == [
        "k",
        "k",
    ]


def test_progress_is_for_terminals_only(
    run: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder(tmp_path, a=leaves(1, 2, 3, 4), b=leaves(1, 2, 3, 4))
    for terminal in (True, False):
        screen = io.StringIO()
        console = Console(file=screen, force_terminal=terminal, width=80)
        monkeypatch.setattr(run_command, "stderr", console)
        assert run(tmp_path, "--json").code == 0
        assert ("0 of 2 done, running: a" in screen.getvalue()) == terminal


def children(pid: int) -> list[int]:
    text = Path(f"/proc/{pid}/task/{pid}/children").read_text()
    return [int(child) for child in text.split()]


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_no_process_is_left_when_the_command_ends(tmp_path: Path, how: signal.Signals) -> None:
    endless = [0x00138393, 0xFE000EE3]  # addi t2, t2, 1; beq x0, x0, -4
    folder(tmp_path, a=endless, b=endless)
    command = ["env", "--default-signal=INT"]  # a shell that starts the tests with & ignores it
    command += [sys.executable, "-m", "tilelab.cli.main", "run", *REFERENCE, str(tmp_path)]
    limit = ("--max-cycles", "1000000000")
    process = subprocess.Popen([*command, "--jobs", "2", *limit], stderr=subprocess.PIPE, text=True)
    try:
        assert eventually(lambda: len(children(process.pid)) == 2, 60)
        workers = children(process.pid)
        process.send_signal(how)
        _, err = process.communicate(timeout=120)
    finally:
        process.kill()
    if how is signal.SIGINT:
        assert (process.returncode, err.splitlines()[-1]) == (130, "tilelab: interrupted")
        assert "Traceback" not in err
    assert eventually(lambda: not any(Path(f"/proc/{worker}").exists() for worker in workers), 60)


INTERRUPTED_FORK = """
import os, signal
from pathlib import Path
from tilelab.runs.job import Job, Settings
from tilelab.runs.processes import sweep

signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's "&" has it ignored
os.register_at_fork(after_in_parent=lambda: os.kill(os.getpid(), signal.SIGINT))
job = Job("endless", "blackhole", Path(), Settings("reference", 1, (), False, False))
try:
    list(sweep([job], 1, lambda running: None, lambda job: signal.pause()))
except KeyboardInterrupt:
    print("interrupted")
"""


@pytest.mark.skipif(sys.platform != "linux", reason="processes are forked on Linux")
def test_an_interrupt_in_the_middle_of_a_fork_is_not_lost() -> None:
    done = subprocess.run(
        [sys.executable, "-c", INTERRUPTED_FORK],
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert (done.stdout, done.stderr) == ("interrupted\n", "")


def test_of_several_too_the_report_names_source_lines(capsys: pytest.CaptureFixture[str]) -> None:
    example = Path(__file__).parents[2] / "examples" / "matmul"
    alone = tilelab(capsys, "run", example)
    several = tilelab(capsys, "run", example, example)
    places = [line for line in alone.out.splitlines() if " MOP -> " in line]
    assert len(places) == 2
    assert all("kernel.cpp:" in line for line in places)
    assert [line for line in several.out.splitlines() if " MOP -> " in line] == places * 2
