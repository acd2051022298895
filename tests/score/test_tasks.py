"""Tasks: folders that score judges, solutions that are right."""

from pathlib import Path

import pytest

from score_tasks import CHIPS, solved
from tilelab.kernels.kernel_toml.file import read_kernel_file
from tilelab.score.tasks import Task, task, tasks, write
from tilelab.sim.errors import BadInputError

FEW = ("clamp", "hypot", "matmul_relu")


@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize("wanted", tasks().values(), ids=lambda one: one.name)
def test_each_task_is_a_kernel_with_a_baseline(wanted: Task, chip: str, tmp_path: Path) -> None:
    write(wanted, tmp_path, chip)
    kernel = read_kernel_file(tmp_path, elfs_exist=False)
    assert kernel.arch == chip
    assert kernel.scoring is not None
    assert kernel.scoring.baseline == wanted.cycles[chip]
    assert (kernel.scoring.sweep is not None) == (wanted.vector and wanted.inputs == ["a"])
    assert wanted.source(solved=True) != wanted.source(solved=False) or wanted.name == "identity"
    assert "@" not in wanted.source(solved=True)


def test_there_are_fifty_and_more_of_five_grades() -> None:
    assert len(tasks()) >= 50
    assert {one.grade for one in tasks().values()} == {1, 2, 3, 4, 5}
    with pytest.raises(BadInputError, match="did you mean gelu"):
        task("gleu")


@pytest.mark.thorough
@pytest.mark.parametrize("chip", CHIPS)
def test_solutions_are_right_and_take_the_cycles_that_are_said(chip: str) -> None:
    pytest.importorskip("ziglang", reason="no Zig: pip install tilelab[build]")
    for one, _, score in solved([task(name) for name in FEW], (chip,)):
        assert (score.category, score.message) == ("", ""), one.name
        assert score.cycles is not None
        assert score.cycles.value == one.cycles[chip], one.name
