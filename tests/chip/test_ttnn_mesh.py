"""Unmodified ttnn programs on several chips, where the wheel is installed."""

from contextlib import chdir
from pathlib import Path

import pytest

from tilelab.cli.main import main
from ttnn_runs import HOW, PROGRAMS, PYTHON

COLLECTIVES = ("all_gather", "reduce_scatter", "all_reduce", "point_to_point", "broadcast")


@pytest.mark.parametrize(
    ("flags", "chips", "cases"),
    [
        ([], 2, ("add", "mlp")),
        ([], 2, COLLECTIVES),
        (["--fast-dispatch"], 2, ("add", *COLLECTIVES)),
        ([], 4, ("all_gather",)),
    ],
    ids=["alone", "over links", "fast dispatch", "four chips"],
)
def test_chips_leave_what_numpy_computes(
    flags: list[str], chips: int, cases: tuple[str, ...], tmp_path: Path,
    capfd: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    if PYTHON is None:
        pytest.skip(HOW)
    words = ["ttnn", "--chips", str(chips), "--python", PYTHON, *flags]
    with chdir(tmp_path):
        assert main([*words, str(PROGRAMS / "ttnn_mesh.py"), str(chips), *cases]) == 0
    said = capfd.readouterr().out
    assert all(f"{case} equal" in said for case in cases)
    assert f"blackhole: {140 * chips} tiles booted" in said


def test_a_recording_of_two_chips_replays(tmp_path: Path) -> None:
    if PYTHON is None:
        pytest.skip(HOW)
    log = str(tmp_path / "calls.bin")
    words = ["ttnn", "--chips", "2", "--python", PYTHON, "--record", log]
    with chdir(tmp_path):
        assert main([*words, str(PROGRAMS / "ttnn_mesh.py"), "2", "all_gather"]) == 0
    assert main(["run", log]) == 0


def test_what_is_not_there_for_several_chips_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["ttnn", "--chips", "2", str(PROGRAMS / "ttnn_mesh.py"), "--check"]) == 2
    assert "no --page, --trace, --cycles or --check of several yet" in capsys.readouterr().err
    assert main(["libttsim", str(tmp_path), "--chips", "2", "--arch", "wormhole"]) == 2
    assert "several chips are modelled for blackhole, not for wormhole" in capsys.readouterr().err


def test_the_program_is_there() -> None:
    assert (PROGRAMS / "ttnn_mesh.py").is_file()
