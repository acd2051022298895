"""Unmodified ttnn programs, where the wheel is installed, beside the vendor's simulator."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from tilelab.cli.main import main
from tilelab.cli.ttnn import chip_environment
from tilelab.tensix.arch import arch
from tilelab.tensix.chip.library.folder import lay_out, one_tile

PYTHON = os.environ.get("TILELAB_TTNN_PYTHON")
VENDORS = os.environ.get("TILELAB_TTSIM")
HOW = "set TILELAB_TTNN_PYTHON to a Python that has ttnn"
PROGRAM = Path(__file__).with_name("ttnn_program.py")
CASES = (
    "copy:bf16:64", "copy:bfp8:64", "generic:bf16:64", "add:bf16:32", "add:bfp8:64", "sub:bf16:64",
    "matmul:bf16:64", "matmul:bfp8:128", "concat:bf16:64", "transpose:bf16:64", "untilize:bf16:64",
    "tilize:bf16:64",
)  # fmt: skip
RUNS = {
    "blackhole, one tile": ("blackhole", True, False, (*CASES, "matmul:fp32:64")),
    "wormhole, one tile": ("wormhole", True, False, (*CASES, "matmul:fp32:64")),
    "blackhole": ("blackhole", False, False, (*CASES, "matmul:fp32:64", "matmul:bf16:512")),
    "wormhole": ("wormhole", False, False, (*CASES, "matmul:bf16:512")),
    "blackhole, fast dispatch": ("blackhole", False, True, CASES),
    "wormhole, fast dispatch": ("wormhole", False, True, CASES),
}
"""Chip, whether it has one tile, fast dispatch, and what is run. The vendor's simulator refuses
fp32 on all of Wormhole's tiles (UnsupportedFunctionality: cfg_context_id=1)."""
Results = dict[str, npt.NDArray[np.float32]]


def on_tilelab(run: str, out: Path) -> Results:
    chip, one, fast, cases = RUNS[run]
    flags = ["--one-tile"] * one + ["--fast-dispatch"] * fast
    assert PYTHON
    command = ["ttnn", *flags, "--arch", chip, "--python", PYTHON, str(PROGRAM), str(out), *cases]
    assert main(command) == 0
    return dict(np.load(out))


def on_the_vendors(run: str, folder: Path) -> Results:
    """The same on the vendor's library, with our description beside it."""
    chip, one, fast, cases = RUNS[run]
    assert PYTHON
    assert VENDORS
    library = lay_out(folder / "vendors", chip, one_tile(arch(chip)) if one else None)
    library.unlink()
    name = {"blackhole": "libttsim_bh.so", "wormhole": "libttsim_wh.so"}[chip]
    library.symlink_to((Path(VENDORS) / name).resolve())
    out = folder / "vendors.npz"
    command = [PYTHON, str(PROGRAM), str(out), *cases]
    subprocess.run(command, env=chip_environment(library, one, fast), check=True, cwd=folder)
    return dict(np.load(out))


@pytest.mark.parametrize("run", RUNS)
def test_programs_run(run: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    if PYTHON is None:
        pytest.skip(HOW)
    ours = on_tilelab(run, tmp_path / "ours.npz")
    chip, one, *_ = RUNS[run]
    booted = 1 if one else len(arch(chip).layout.tensix)
    assert f"{chip}: {booted} tiles booted" in capfd.readouterr().out
    rng = np.random.default_rng(1)
    a = rng.standard_normal((64, 128)).astype(np.float32)
    kept = ours["copy:bf16:64 0"]
    assert np.abs(kept - a).max() < 2**-6
    for moved, expected in (("transpose", kept.T), ("tilize", kept), ("untilize", kept)):
        assert np.array_equal(ours[f"{moved}:bf16:64 0"], expected)
    for name, result in ours.items():
        assert np.isfinite(result).all()
        assert result.tobytes() == ours[f"{name[:-1]}0"].tobytes()
    if VENDORS is None:
        return
    theirs = on_the_vendors(run, tmp_path)
    assert theirs.keys() == ours.keys()
    wrong = [name for name in ours if ours[name].tobytes() != theirs[name].tobytes()]
    assert not wrong


PRECOMPILED = {
    "blackhole": (5367236765890444271, 11660721212704224774),
    "wormhole": (7765904028302699788, 12504038905180010541),
}
"""In ttnn 0.81.1: under which name a host of a simulated chip looks for firmware that need not be
compiled, and under which the wheel has it for a chip of that size."""


def with_precompiled_firmware(chip: str, root: Path) -> None:
    """Lay out what the wheel has, by links, with its own firmware where the host looks for it."""
    ask = "import importlib.util as u; print(u.find_spec('ttnn').origin)"
    assert PYTHON
    asked = subprocess.run([PYTHON, "-c", ask], capture_output=True, text=True, check=True)
    wheel = Path(asked.stdout.strip()).parent
    name, there = map(str, PRECOMPILED[chip])
    made = root / "tt_metal" / "pre-compiled"
    made.mkdir(parents=True)
    for folder, left_out in (("", "tt_metal"), ("tt_metal", "pre-compiled")):
        for entry in (wheel / folder).iterdir():
            if entry.name != left_out:
                (root / folder / entry.name).symlink_to(entry)
    (made / name).symlink_to(wheel / "tt_metal" / "pre-compiled" / there)


@pytest.mark.parametrize("chip", PRECOMPILED)
def test_the_wheels_own_firmware_boots_on_every_tile(
    chip: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    if PYTHON is None:
        pytest.skip(HOW)
    with_precompiled_firmware(chip, tmp_path / "root")
    monkeypatch.setenv("TT_METAL_RUNTIME_ROOT", str(tmp_path / "root"))
    monkeypatch.setenv("TT_METAL_CACHE", str(tmp_path / "cache") + "/")
    program = [str(PROGRAM), str(tmp_path / "out.npz"), "copy:bf16:64"]
    assert main(["ttnn", "--arch", chip, "--python", PYTHON, *program]) == 0
    assert f"{chip}: {len(arch(chip).layout.tensix)} tiles booted" in capfd.readouterr().out
    assert not (tmp_path / "cache").exists(), "firmware was compiled"


def test_what_cannot_run_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ttnn", str(tmp_path / "missing.py")]) == 2
    assert "no such file" in capsys.readouterr().err
    program = tmp_path / "program.py"
    program.write_text("")
    assert main(["ttnn", "--python", "no-such-python", str(program)]) == 2
    assert "no-such-python: no such program" in capsys.readouterr().err
    assert main(["ttnn", "--python", sys.executable, str(program)]) == 2
    assert "has no ttnn" in capsys.readouterr().err
