"""A sweep on a Dask cluster: a local one, where Dask is installed."""

import json
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError
from pathlib import Path
from typing import Any

import pytest
from command import tilelab
from test_run import HALT, kernel, leaves

from tilelab.runs.cluster import connect, on_cluster
from tilelab.runs.job import Job, Ran, Settings
from tilelab.runs.processes import in_order
from tilelab.sim.errors import BadInputError, TilelabError

SETTINGS = Settings("reference", 1000, (), False, False)

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def test_without_dask_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(BadInputError, match=r"pip install 'tilelab\[cluster\]'"):
        connect("tcp://localhost:1")


def test_cluster_goes_with_no_jobs_and_no_trace(
    capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path = kernel(tmp_path, leaves(1))
    for option in (["--jobs", "2"], ["--trace", "t"]):
        outcome = tilelab(capsys, "run", path, "--cluster", "tcp://localhost:1", *option)
        assert outcome.code == 2
        assert "exclude each other" in outcome.complaint


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    distributed = pytest.importorskip("distributed")
    dask = pytest.importorskip("dask")
    settings = {
        "distributed.scheduler.allowed-failures": 1,  # restarting killed workers takes time
        "distributed.deploy.lost-worker-timeout": "5 minutes",  # a lot of it on a busy machine
    }
    with (
        dask.config.set(settings),
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, dashboard_address=None
        ) as local,
    ):
        yield local


@pytest.mark.parametrize(
    ("address", "complaint"),
    [
        ("tcp://localhost:1", "--cluster tcp://localhost:1: cannot be reached: "),
        ("bogus://x", "--cluster bogus://x: cannot be reached: "),
        ("", "--cluster : cannot be reached: "),
        ("tcp://localhost:port", "--cluster tcp://localhost:port: cannot be reached: "),
    ],
)
def test_an_address_without_a_cluster(
    monkeypatch: pytest.MonkeyPatch, address: str, complaint: str
) -> None:
    pytest.importorskip("distributed")
    monkeypatch.setattr("tilelab.runs.cluster.CONNECT_SECONDS", 1)
    with pytest.raises(BadInputError) as caught:
        connect(address)
    assert caught.value.summary.startswith(complaint)


def test_a_cluster_without_workers(monkeypatch: pytest.MonkeyPatch) -> None:
    distributed = pytest.importorskip("distributed")
    monkeypatch.setattr("tilelab.runs.cluster.CONNECT_SECONDS", 1)
    empty = distributed.LocalCluster(n_workers=0, dashboard_address=None)
    with empty, pytest.raises(BadInputError, match="has no workers"):
        connect(empty.scheduler_address)


def test_a_sweep_on_a_cluster_is_the_same_sweep(
    cluster: Any, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    for name, words in (("a", leaves(1, 2, 3, 4)), ("b", [HALT]), ("d", leaves(1, 2, 3, 5))):
        (tmp_path / name).mkdir()
        kernel(tmp_path / name, words)
    (tmp_path / "c").mkdir()
    (tmp_path / "c" / "kernel.toml").write_text("elfs = ")
    arguments = ("run", "--engine", "reference", "--json", tmp_path)
    here = tilelab(capsys, *arguments)
    there = tilelab(capsys, *arguments, "--cluster", cluster.scheduler_address)
    assert there == here
    assert [entry["name"] for entry in json.loads(there.out)["kernels"]] == ["a", "b", "c", "d"]


def test_tuning_on_a_cluster_finds_the_same(
    cluster: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("ziglang", reason="no Zig: pip install tilelab[build]")
    arguments = ("tune", EXAMPLES / "datacopy", "-D", "num_tiles=2,4", "--json")
    here = tilelab(capsys, *arguments)
    there = tilelab(capsys, *arguments, "--cluster", cluster.scheduler_address)
    assert there == here
    assert json.loads(there.out)["best"] == ["num_tiles=4"]


def killed_once(job: Job) -> Ran:
    """Take a while; the process that first has job 2 dies, with whatever else it had."""
    time.sleep(0.2)
    if job.name == "2" and isinstance(job.what, Path) and not job.what.exists():
        job.what.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return Ran(job.name, TilelabError(f"ran {job.name}"))


def always_killed(job: Job) -> Ran:
    if job.name == "2":
        os.kill(os.getpid(), signal.SIGKILL)
    return Ran(job.name, TilelabError(f"ran {job.name}"))


def said(cluster: Any, function: Callable[[Job], Ran], mark: Path) -> list[str]:
    jobs = [Job(str(number), "blackhole", mark, SETTINGS) for number in range(6)]
    client = connect(cluster.scheduler_address)
    swept = in_order(on_cluster(client, jobs, lambda running: None, function))
    return [str(ran.outcome) for ran in swept]


def test_a_worker_killed_in_mid_sweep_loses_nothing(cluster: Any, tmp_path: Path) -> None:
    mark = tmp_path / "killed"
    assert said(cluster, killed_once, mark) == [f"ran {number}" for number in range(6)]
    assert mark.exists(), "a worker was killed"


def test_a_kernel_that_its_workers_die_of_is_reported(cluster: Any, tmp_path: Path) -> None:
    found = said(cluster, always_killed, tmp_path)
    assert found.pop(2) == "WorkerDied: every process of the cluster that ran it died"
    assert found == [f"ran {number}" for number in range(6) if number != 2]


class Lost:
    """A future that is done, whose result is lost with its worker before it is fetched."""

    def __init__(self, outcomes: list[Ran | Exception]) -> None:
        self.outcomes = outcomes
        self.status = "finished"

    def done(self) -> bool:
        return True

    def result(self, timeout: float) -> Ran:
        outcome = self.outcomes.pop(0)
        if isinstance(outcome, Ran):
            return outcome
        raise outcome


class OneFuture:
    """A cluster whose every job has the same future."""

    def __init__(self, future: Lost) -> None:
        self.future = future

    def submit(self, function: object, job: object, pure: bool) -> Lost:
        return self.future

    def nthreads(self) -> dict[str, int]:
        return {"one": 1}

    def cancel(self, futures: list[Lost]) -> None:
        assert not futures

    def close(self) -> None:
        pass


@pytest.mark.parametrize(
    ("outcomes", "said"),
    [
        ([TimeoutError(), Ran("0", TilelabError("ran"))], "ran"),
        ([CancelledError()], "WorkerDied: the cluster's scheduler is gone"),
        ([KeyError("k")], "AssertionFailure: KeyError: 'k'"),
    ],
)
def test_a_result_lost_before_it_is_fetched_is_waited_for(
    outcomes: list[Ran | Exception], said: str, tmp_path: Path
) -> None:
    client = OneFuture(Lost(outcomes))
    job = Job("0", "blackhole", tmp_path, SETTINGS)
    [(number, ran)] = on_cluster(client, [job], lambda running: None, always_killed)
    assert number == 0
    assert isinstance(ran.outcome, TilelabError)
    assert ran.outcome.summary == said
