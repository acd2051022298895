"""Locks of A5, and whose an event is, in compiled kernels (pto-isa is not needed)."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from pto_harness import pto

HERE = Path(__file__).parent / "native"

pytestmark = pytest.mark.skipif(
    not (shutil.which("g++") or shutil.which("clang++")), reason="needs g++ or clang++"
)


@pytest.fixture(autouse=True, scope="module")
def cache(tmp_path_factory):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TILELAB_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield


def cc(kernel, *options):
    outcome = pto("cc", str(kernel), "--pto-isa", str(HERE / "isa"), "--json", *options)
    try:
        return outcome.exit_code, json.loads(outcome.stdout)
    except ValueError:
        return outcome.exit_code, outcome.output


def buffers(case, *options):
    options = ("--cores", "vec", "--arch", "a5", "-D", f"CASE={case}", *options)
    code, document = cc(HERE / "buffers.cpp", *options)
    return code, document, {finding["message"] for finding in document["findings"]}


def test_locks_of_a5_order_pipes_and_take_their_time():
    code, document, told = buffers(0, "--cycles")
    assert (code, told) == (0, set())
    causes = {one["cause"] for pipe in document["cycles"]["pipes"] for one in pipe["stalls"]}
    assert {"PIPE_MTE2", "PIPE_V"} <= causes


@pytest.mark.parametrize(
    ("case", "told"),
    [
        (1, r"rls_buf\(PIPE_MTE2, 0\), but this pipe does not hold it"),
        (
            2,
            r"get_buf\(PIPE_V, 0\), but PIPE_MTE2 has held it since .*cpp:\d+: the pipe hangs",
        ),
        (3, r"PIPE_V, which TLOAD .* orders them"),
        (4, r"get_buf\(PIPE_MTE3, 0\), but PIPE_V has held it since"),
    ],
)
def test_a_lock_that_is_missing_or_kept_is_told(case, told):
    code, _, messages = buffers(case)
    assert code == 1
    assert any(re.search(told, message) for message in messages), messages


def test_locks_are_refused_on_a2a3():
    code, text = cc(HERE / "buffers.cpp", "--cores", "vec")
    assert code == 1
    assert "get_buf(PIPE_MTE2, 0): A5 alone has it" in str(text)


def test_events_may_belong_to_the_pipe_that_sets_them():
    kernel = (HERE / "events.cpp", "--cores", "vec")
    assert cc(*kernel)[0] == 0
    code, document = cc(*kernel, "--events", "setter")
    told = [finding["message"] for finding in document["findings"]]
    assert code == 1
    assert any("but the event is already set" in message for message in told)
    assert any("takes what the set_flag at" in m and "meant for PIPE_V" in m for m in told)
