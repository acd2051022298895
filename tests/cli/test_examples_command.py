"""``tilelab examples``: lists, finds and copies the kernels that come along."""

import json
from pathlib import Path

import pytest

from tilelab.cli.main import main
from tilelab.kernels.kernel_toml.file import read_kernel_file

NAMES = ["datacopy", "eltwise_add", "matmul", "matmul_block"]


def test_every_example_is_listed_with_its_folder(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["examples", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["examples"]
    assert [entry["name"] for entry in found] == NAMES
    for entry in found:
        assert read_kernel_file(entry["path"]).description == entry["description"] != ""
    assert main(["examples"]) == 0
    text = capsys.readouterr().out
    assert all(entry["path"] in text and entry["description"] in text for entry in found)


def test_a_name_gives_the_folder_alone(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["examples", "matmul"]) == 0
    line = capsys.readouterr().out
    assert line.endswith("matmul\n")
    assert (Path(line.rstrip("\n")) / "kernel.toml").is_file()


def test_a_copy_is_whole_and_runs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["examples", "datacopy", "--copy", str(tmp_path)]) == 0
    copied = tmp_path / "datacopy"
    assert capsys.readouterr().out == f"{copied}\n"
    assert main(["run", str(copied)]) == 0


def test_a_copy_overwrites_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "matmul").mkdir()
    assert main(["examples", "matmul", "--copy", str(tmp_path)]) == 2
    assert capsys.readouterr().err == f"tilelab: {tmp_path / 'matmul'} exists already\n"


def test_an_unknown_name_is_bad_input(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["examples", "nope"]) == 2
    assert capsys.readouterr().err == (
        f"tilelab: no example is called 'nope': choose from {', '.join(NAMES)}\n"
    )
