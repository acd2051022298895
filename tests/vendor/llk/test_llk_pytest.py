"""The plugin that gives the vendor's tests a tile, over a small suite that is built like theirs."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tilelab.tensix.llk.pytest_plugin import (
    MESSAGE_CHARACTERS,
    function,
    sample,
    shortened,
)

import tilelab

pytest.importorskip("ttexalens", reason="no tt-exalens: pip install tilelab[exalens]")

CONFTEST = """
import os
from ttexalens import init_ttexalens
init_ttexalens(simulation_directory=os.environ["TT_METAL_SIMULATOR"])
def pytest_addoption(parser):
    parser.addoption("--run-simulator", action="store_true")
    parser.addoption("--compile-producer", action="store_true")
"""
TESTS = """
import pytest
from ttexalens.tt_exalens_lib import read_word_from_device, write_words_to_device

SEMWAIT, NOP = 0xA6000000 | 0x1FF << 15 | 4 << 2 | 1, 0x02000000
def run_brisc(*pushed):
    words = [(word << 2 | word >> 30) & 0xFFFFFFFF for word in pushed]
    write_words_to_device("0,0", 0, [*words, 0x0000006F])
    write_words_to_device("0,0", 0xFFB121B0, [0x47000])

def test_hangs():
    run_brisc(0xA3100004, SEMWAIT, NOP)
    for _ in range(3000):
        read_word_from_device("0,0", 0x100)

@pytest.mark.parametrize("value", range(20))
def test_tile_is_fresh(value):
    assert read_word_from_device("0,0", 0x200) == 0
    write_words_to_device("0,0", 0x200, [value + 1])
    assert value != 7

def test_fails_though_nobody_looks():
    run_brisc(0)

@pytest.mark.skip(reason="not here")
def test_skipped():
    pass
"""


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    (tmp_path / "conftest.py").write_text(CONFTEST)
    (tmp_path / "test_small.py").write_text(TESTS)
    return tmp_path


def run(suite: Path, *arguments: str) -> tuple[int, str, list[dict[str, Any]]]:
    """Run the suite; returns exit code, output and recorded results."""
    results = suite / "results.jsonl"
    command = [sys.executable, "-m", "pytest", "-p", "tilelab.tensix.llk.pytest_plugin", "-q"]
    command += ["--tilelab-engine", "reference", "--tilelab-results", str(results), *arguments]
    env = {k: v for k, v in os.environ.items() if not k.startswith(("PYTEST_", "CHIP_", "TT_"))}
    env["PYTHONPATH"] = str(Path(tilelab.__file__).parents[1])
    done = subprocess.run(
        command, cwd=suite, env=env, capture_output=True, text=True, timeout=300, check=False
    )
    lines = results.read_text().splitlines() if results.exists() else []
    return done.returncode, done.stdout + done.stderr, [json.loads(line) for line in lines]


def test_every_test_gets_a_fresh_tile_and_its_own_error(suite: Path) -> None:
    code, output, results = run(suite, "--run-simulator")
    assert code == 1
    assert "3 failed, 19 passed, 1 skipped" in output
    failed = {item["test"]: item for item in results if item["outcome"] == "failed"}
    hang = failed["test_small.py::test_hangs"]
    assert hang["error"] == "DeadlockError"
    assert "SEMWAIT" in hang["message"].upper()
    assert failed["test_small.py::test_tile_is_fresh[7]"]["error"] == "AssertionError"
    assert "unknown-opcode" in failed["test_small.py::test_fails_though_nobody_looks"]["message"]
    skipped = results[-1]  # it had no tile, and nothing of the tile before it is said of it
    assert (skipped["outcome"], skipped["error"], skipped["message"]) == (
        "skipped",
        "Skipped",
        "not here",
    )
    assert len(results) == 23
    assert sum(item["kernels"] for item in results) == 0  # BRISC's words are no kernel's


WARNED = """
from test_small import run_brisc
from ttexalens.tt_exalens_lib import read_word_from_device
def test_warned():
    run_brisc(0x36400000)
    for _ in range(100):
        read_word_from_device("0,0", 0x100)
"""


def test_readings_and_policies_can_be_chosen(suite: Path) -> None:
    (suite / "test_other.py").write_text(WARNED)
    chosen = ["--tilelab-option=mop_count_bits=10", "--tilelab-warn=src-a-clear-not-valid"]
    code, output, _ = run(suite, "--run-simulator", "test_other.py", *chosen)
    assert code == 0, output
    code, output, _ = run(suite, "--run-simulator", "test_other.py")
    assert code == 1
    assert "src-a-clear-not-valid" in output
    for option, message in (
        ("--tilelab-option=mop_count_bits=9", "choose 7 or 10"),
        ("--tilelab-option=mop_count_bits", "NAME=VALUE"),
        ("--tilelab-warn=nonsense", "no check is called 'nonsense'"),
    ):
        code, output, _ = run(suite, "--run-simulator", option)
        assert code == 4
        assert message in output


def test_workers_of_xdist_get_the_plugin_too(suite: Path) -> None:
    code, output, _ = run(suite, "--run-simulator", "-n", "1", "-k", "fresh and not 7")
    assert code == 0, output
    assert re.search(r"18 passed", output)


def test_a_sample_is_the_same_every_time(suite: Path) -> None:
    args = ("--run-simulator", "--tilelab-sample", "2", "--tilelab-seed", "5")
    first = [item["test"] for item in run(suite, *args)[2]]
    assert len(first) == 5
    assert [item["test"] for item in run(suite, *args)[2]] == first * 2


def test_without_the_simulator_option_it_says_what_to_do(suite: Path) -> None:
    code, output, results = run(suite)
    assert code == 4
    assert "needs --run-simulator" in output
    assert not results


def test_tests_that_only_compile_need_no_simulator(suite: Path) -> None:
    code, output, _ = run(suite, "--compile-producer", "-k", "skipped")
    assert (code, "needs --run-simulator" in output) == (0, False), output


@given(st.dictionaries(st.sampled_from("abc"), st.integers(1, 9)), st.integers(1, 5), st.text("01"))
def test_a_sample_takes_the_first_of_every_function_first(
    sizes: dict[str, int], count: int, seed: str
) -> None:
    names = [f"t.py::{name}[{i}]" for name, size in sizes.items() for i in range(size)]
    chosen = sample(names, count, seed)
    assert len(set(chosen)) == len(chosen)
    for name, size in sizes.items():
        assert sum(function(c) == f"t.py::{name}" for c in chosen) == min(size, count)
    assert {function(c) for c in chosen[: len(sizes)]} == {function(name) for name in names}
    assert sample(names[::-1], count, seed) == chosen


def test_a_sample_that_is_cut_short_is_not_of_the_first_files() -> None:
    """Functions come in an order of the seed's, not in the suite's."""
    names = [f"t{n:02}.py::f[{i}]" for n in range(20) for i in range(3)]
    firsts = {seed: sample(names, 2, seed)[:5] for seed in "0123456789"}
    assert len({function(name) for chosen in firsts.values() for name in chosen}) > 10


def test_a_long_message_keeps_both_ends() -> None:
    text = shortened("begin" + "x" * 9999 + "end")
    assert text.startswith("begin")
    assert text.endswith("end")
    assert len(text) < MESSAGE_CHARACTERS + 10
    assert shortened("short") == "short"


HARNESS = """
from enum import Enum
class ProfilerBuild(Enum):
    Yes, No = "true", "false"
class TestConfig:
    def __init__(self, profiler_build):
        self.profiler_build = profiler_build
    def generate_variant_hash(self):
        self.variant_id = "named"
    def _compose_compile_options(self, tokens):
        return (f"-O2 -DTT_METAL_TTSIM {tokens} ", "memory.ld", "-DTT_METAL_TTSIM -O2")
"""
TIMED = """
import pytest
from helpers.test_config import ProfilerBuild, TestConfig
from ttexalens.tt_exalens_lib import read_word_from_device, write_words_to_device

def cycles_of_a_division():
    # lui a0, 0xffb12; lw a1, 0x1f0(a0); li a2, -1; divu a3, a2, a0; and a3 again; lw a2, 0x1f0(a0)
    program = [0xFFB12537, 0x1F052583, 0xFFF00613, 0x02A656B3, 0x00D6F6B3, 0x1F052603]
    program += [0x40B60633, 0x10C02023, 0x0000006F]  # sub a2, a2, a1; sw a2, 0x100(x0); spin
    write_words_to_device("0,0", 0, program)
    write_words_to_device("0,0", 0xFFB121B0, [0x47000])
    for _ in range(100):
        if cycles := read_word_from_device("0,0", 0x100):
            return cycles

@pytest.mark.parametrize("build", ProfilerBuild)
def test_clock(build):
    config = TestConfig(build)
    config.generate_variant_hash()
    assert config.variant_id == "named"
    assert (cycles_of_a_division() > 20) == (build == ProfilerBuild.Yes)
    write_words_to_device("0,0", 0x200, [1])
    config.generate_variant_hash()
    assert read_word_from_device("0,0", 0x200) == 1

def test_counters_are_compiled_in():
    options = TestConfig(ProfilerBuild.No)._compose_compile_options("-I.")
    assert [each.split() for each in options] == [["-O2", "-I."], ["memory.ld"], ["-O2"]]
"""


def test_tests_built_with_the_profiler_get_the_cycle_clock(suite: Path) -> None:
    (suite / "helpers").mkdir()
    (suite / "helpers" / "test_config.py").write_text(HARNESS)
    (suite / "helpers" / "device.py").touch()
    (suite / "conftest.py").write_text(f"import helpers.device, helpers.test_config\n{CONFTEST}")
    (suite / "test_timed.py").write_text(TIMED)
    code, output, _ = run(suite, "--run-simulator", "test_timed.py")
    assert code == 0, output
    code, output, results = run(
        suite, "--run-simulator", "test_timed.py", "--tilelab-clock=functional"
    )
    assert code == 1, output
    assert [item["outcome"] for item in results[-3:]] == ["failed", "passed", "passed"]
