"""Generated self-checking tests: they pass on the model, and fail where it is made wrong."""

import subprocess
import sys
from pathlib import Path

import pytest

from tilelab.tilext import semantics
from tilelab.tilext.selftest import Suite, files, generate, passes, run, the_machine

from .selftest_faults import faults, silent

COUNT = 120


@pytest.fixture(scope="module")
def suite() -> Suite:
    """Tests of every family."""
    return generate(COUNT, 7)


def test_they_pass_on_the_model_and_are_the_same_again(suite):
    machine = the_machine()
    assert [test.name for test in suite.tests if not passes(test, machine)] == []
    assert [test.text for test in generate(12, 7).tests] == [t.text for t in suite.tests[:12]]


def test_each_of_more_than_fifty_misread_operands_fails_a_test(suite):
    assert len(faults()) >= 50
    assert silent(suite.tests) == []


def shifted(core, name, values, count):
    """The last grain is the first one."""
    found = GRAINS(core, name, values, count)
    return [*found[:-1], found[0]]


GRAINS = semantics._grain_addresses


@pytest.mark.parametrize("fault", [shifted])
def test_a_wrong_address_of_one_grain_fails(suite, monkeypatch, fault):
    monkeypatch.setattr(semantics, "_grain_addresses", fault)
    machine = the_machine()
    assert not all(passes(test, machine) for test in suite.tests[:12])


def test_a_wrong_byte_in_the_result_fails(suite):
    text = suite.tests[0].text
    spoilt = text.replace("    li a0, 49152\n", "    li a0, 49152\n    sb zero, 5(a0)\n", 1)
    assert spoilt != text
    done = run(the_machine(), text)
    assert done.cores[0].memory["global"][0xC000:0xC010].any()
    assert run(the_machine(), spoilt).harts[0].status == 1


def test_every_covered_boundary_is_counted(suite):
    rows = suite.table().splitlines()[1:]
    total = sum(int(row.split("\t")[2]) for row in rows)
    assert total == sum(len(test.covers) for test in suite.tests)
    names = {row.split("\t")[0] for row in rows}
    assert {"tgld.unit", "tsst.index", "tmv.x.t", "mma.tt", "tsld.stride"} <= names


def test_the_command_runs_them(tmp_path: Path):
    command = [sys.executable, "-m", "tilelab", "tilext"]
    folder = tmp_path / "tests"
    done = subprocess.run(
        [*command, "tests", "-o", str(folder), "--count", "6"], capture_output=True, check=True
    )
    assert b"6 tests of" in done.stdout
    assert set(dict(files(generate(6)))) == {path.name for path in folder.iterdir()}
    one = [*command, "run", str(folder / "t00005.s"), "--machine", str(folder / "machine.toml")]
    assert subprocess.run(one, capture_output=True, check=False).returncode == 0
