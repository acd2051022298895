"""``tilelab run RECORDING --cluster``: a recording's chips on two workers, and one that dies."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from command import tilelab

from chips_program import CODE, FLAG, HELD, RESET, SECOND_RUNS, SENDS, TAKES, as_bytes
from local_cluster import two_workers
from riscv_program import HALT, store, wait_for
from tilelab.tensix.tables.ethernet_registers import RESET_PC, SECOND_CORE

RUNS = [0x00002303, 0x00130313, 0x00602023, 0xFF5FF06F]
"""Counts at address 0 of its tile, for ever: lw, addi, sw, jal."""
SECONDS = 60


def recording(path: Path, programs: list[list[int]], polled: str) -> Path:
    """What a host does that starts a program on each of two chips, and polls a word of each."""
    lines = ["chip b140"]
    for (number, (x, y)), program in zip((SENDS, TAKES), programs, strict=True):
        lines.append(f"D {number}")
        for at, words in (
            (RESET, [HELD]),
            (CODE, program),
            (RESET_PC + SECOND_CORE, [CODE]),
            (RESET, [SECOND_RUNS]),
        ):
            lines.append(f"W {x} {y} {at:x} {as_bytes(words).hex()}")
    for number, (x, y) in (SENDS, TAKES):
        lines += [f"D {number}", f"P {x} {y} {FLAG:x} {polled}"]
    path.write_text("\n".join([*lines, ""]))
    return path


@pytest.fixture
def cluster() -> Iterator[Any]:
    with two_workers() as local:
        yield local


def within(seconds: float, wanted: Callable[[], bool]) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if wanted():
            return True
        time.sleep(0.1)
    return False


def test_chips_of_a_recording_run_on_workers(
    cluster: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    done = [*store(FLAG, 7), HALT]
    path = recording(tmp_path / "two.txt", [done, done], "07000000")
    here = tilelab(capsys, "run", "--json", path)
    there = tilelab(capsys, "run", "--json", path, "--cluster", cluster.scheduler_address)
    assert there == here
    assert there.code == 0
    waits = [*wait_for(FLAG, 7), HALT]
    path = recording(tmp_path / "stuck.txt", [done, waits], "07000000")
    here = tilelab(capsys, "run", path)
    there = tilelab(capsys, "run", path, "--cluster", cluster.scheduler_address)
    assert there == here
    assert there.code == 1
    assert "chip 1, Ethernet tile 29,25" in there.out


def test_a_worker_that_dies_is_one_error_and_leaves_nothing(cluster: Any, tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed")
    path = recording(tmp_path / "for_ever.txt", [RUNS, RUNS], "07000000")
    left = tmp_path / "left"
    left.mkdir()
    command = [sys.executable, "-m", "tilelab", "run", "--max-cycles", "1000000000000"]
    with (
        distributed.Client(cluster, set_as_default=False) as client,
        subprocess.Popen(
            [*command, str(path), "--cluster", cluster.scheduler_address],
            env=os.environ | {"TMPDIR": str(left)},
            stderr=subprocess.PIPE,
            text=True,
            cwd=left,
        ) as run,
    ):

        def holding() -> dict[str, int]:
            held: dict[str, int] = client.run(lambda dask_worker: len(dask_worker.state.actors))
            return held

        assert within(SECONDS, lambda: list(holding().values()) == [1, 1])
        time.sleep(1)
        pids = client.run(os.getpid)
        victim = sorted(pids)[1]
        os.kill(pids[victim], signal.SIGKILL)
        _, complaint = run.communicate(timeout=SECONDS)
        assert run.returncode == 1, complaint
        said = f"tilelab: WorkerDied: the worker that held chip 1, {victim}, is gone\n"
        assert complaint == said
        assert within(SECONDS, lambda: not any(holding().values()))
        assert not list(left.iterdir())
