"""Saved outputs, the doctor, completion: what needs no compiler."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from cli.command import tilelab
from tilelab import examples
from tilelab.cli import doctor

Capture = pytest.CaptureFixture[str]


def test_outputs_are_saved(tmp_path: Path, capsys: Capture) -> None:
    folder = examples()["eltwise_add"]
    outcome = tilelab(capsys, "run", folder, "--save-outputs", tmp_path / "out")
    assert outcome.code == 0
    saved = np.load(tmp_path / "out" / "eltwise_add" / "output0.npy")
    assert np.allclose(saved, np.load(folder / "c.npy"), rtol=0.005)


def test_outputs_of_a_sweep_are_saved(tmp_path: Path, capsys: Capture) -> None:
    for name in ("datacopy", "eltwise_add"):
        shutil.copytree(examples()[name], tmp_path / "kernels" / name)
    assert tilelab(capsys, "run", tmp_path / "kernels", "--save-outputs", tmp_path).code == 0
    assert (tmp_path / "datacopy" / "output0.npy").exists()
    assert (tmp_path / "eltwise_add" / "output0.npy").exists()


def test_outputs_that_cannot_be_saved(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "file").write_text("")
    outcome = tilelab(capsys, "run", examples()["datacopy"], "--save-outputs", tmp_path / "file")
    assert outcome.code == 2
    assert outcome.complaint == f"{tmp_path / 'file'}: is not a folder"


def test_a_wrong_output_is_diagnosed(tmp_path: Path, capsys: Capture) -> None:
    folder = shutil.copytree(examples()["datacopy"], tmp_path / "datacopy")
    toml = folder / "kernel.toml"
    kept = [line for line in toml.read_text().splitlines() if not line.startswith("exact")]
    toml.write_text("\n".join(kept).replace('expect = "a"', 'expect = "want.npy"'))
    np.save(folder / "want.npy", np.load(folder / "a.npy").T)
    outcome = tilelab(capsys, "run", folder)
    assert outcome.code == 1
    assert "  looks transposed: the whole output" in outcome.out
    assert "looks transposed" in tilelab(capsys, "view", folder, "-o", tmp_path / "r.html").err


def test_the_doctor_finds_all_well(capsys: Capture) -> None:
    outcome = tilelab(capsys, "doctor", "--json")
    found = {item["what"]: item["state"] for item in json.loads(outcome.out)["findings"]}
    assert outcome.code == 0
    assert found["engine fast"] == found["engine reference"] == found["numpy"] == "good"
    assert set(found.values()) <= {"good", "missing"}
    assert "engine fast" in tilelab(capsys, "doctor").out


def test_the_doctor_finds_what_is_bad(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setattr(doctor, "cache_folder", lambda: tmp_path / "file" / "cache")
    outcome = tilelab(capsys, "doctor")
    assert outcome.code == 1
    assert "cache             BAD" in outcome.out


@pytest.mark.parametrize(
    ("words", "offered"), [("tilelab ru", "run"), ("tilelab run --sa", "--save-outputs")]
)
def test_the_shell_completes(words: str, offered: str) -> None:
    environment = {
        **os.environ,
        "_TILELAB_COMPLETE": "complete_bash",
        "COMP_WORDS": words,
        "COMP_CWORD": str(words.count(" ")),
    }
    command = [sys.executable, "-m", "tilelab"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert offered in done.stdout.splitlines()
