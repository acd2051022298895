"""The kernels that the sweep runs, and the sweep itself, as short as can be."""

from pathlib import Path

import pytest

from tilelab.bench.backends import UnableError
from tilelab.bench.kernel import write_kernel
from tilelab.bench.start import _python, measure_sweep
from tilelab.bench.work import catalogue
from tilelab.kernels.kernel_toml.file import read_kernel_file
from tilelab.kernels.run import run_kernel
from tilelab.tensix.tile.tile import Tile


def test_a_work_as_a_kernel(tmp_path: Path) -> None:
    work = catalogue()["MVMUL"]
    write_kernel(tmp_path / "kernel", work, 3)
    result = run_kernel(read_kernel_file(tmp_path / "kernel"), Tile())
    assert result.passed
    assert result.threads[0].opcodes["MVMUL"] == 3 * work.per_repeat


def test_the_sweep_runs_both_ways() -> None:
    said: list[str] = []
    found = measure_sweep(1, True, said.append)
    assert found.gain.median == found.one_process.median / found.two_processes.median
    assert {text.rpartition(" ")[2] for text in said} == {"1", "2"}


def test_a_program_that_fails_is_no_measurement() -> None:
    with pytest.raises(UnableError, match="ended with 3: oh no"):
        _python("import sys; print('oh no', file=sys.stderr); sys.exit(3)")
