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


def wheel_folder() -> Path:
    """Where the wheel is installed."""
    ask = "import importlib.util as u; print(u.find_spec('ttnn').origin)"
    assert PYTHON
    asked = subprocess.run([PYTHON, "-c", ask], capture_output=True, text=True, check=True)
    return Path(asked.stdout.strip()).parent


def links_without(wheel: Path, root: Path, left_out: str) -> Path:
    """Lay out what the wheel has, by links, but one place of it, which is returned."""
    place = Path(left_out)
    for folder in reversed(place.parents):
        (root / folder).mkdir(parents=True, exist_ok=True)
        inner = place.relative_to(folder).parts[0]
        for entry in (wheel / folder).iterdir():
            if entry.name != inner:
                (root / folder / entry.name).symlink_to(entry)
    return root / place


def with_precompiled_firmware(chip: str, root: Path) -> None:
    """What the wheel has, with its own firmware where the host looks for it."""
    wheel = wheel_folder()
    made = links_without(wheel, root, "tt_metal/pre-compiled")
    made.mkdir()
    name, there = map(str, PRECOMPILED[chip])
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


READER = (
    "ttnn/cpp/ttnn/operations/pool/upsample/device/kernels/dataflow/"
    "reader_bilinear_multi_core_sharded.cpp"
)
BARRIER = "noc.async_read_barrier();\n            tilize_reduce_dfb.push_back(4);"
"""Of this kernel the vendor's issue tt-metal#50973 said that the barrier was missing."""


def test_the_vendors_missing_barrier_is_named_with_its_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    if PYTHON is None:
        pytest.skip(HOW)
    wheel, out = wheel_folder(), tmp_path / "out.npz"
    shipped = (wheel / READER).read_text()
    assert shipped.count(BARRIER) == 1
    without = shipped.replace(BARRIER, BARRIER.partition("\n")[2].strip())
    links_without(wheel, tmp_path / "root", READER).write_text(without)
    results, said = {}, {}
    for root, late in ((wheel, True), (tmp_path / "root", True), (tmp_path / "root", False)):
        monkeypatch.setenv("TT_METAL_RUNTIME_ROOT", str(root))
        monkeypatch.setenv("TT_METAL_CACHE", f"{tmp_path / 'cache'}{int(root == wheel)}/")
        flags = ["--one-tile", "--python", PYTHON, *["--late"] * late]
        assert main(["ttnn", *flags, str(PROGRAM), str(out), "upsample:bf16:4"]) == 0
        results[root, late] = np.load(out)["upsample:bf16:4 0"]
        said[root, late] = capfd.readouterr().err
    healthy, wrong, lucky = results
    first = shipped[: shipped.index("noc.async_read(")].count("\n") + 1
    assert "a barrier is missing" in said[wrong]
    assert f"({Path(READER).name}:{first} ← async_read" in said[wrong]
    assert "a barrier is missing" not in said[healthy] + said[lucky]
    assert np.array_equal(results[healthy], results[lucky])
    assert not np.array_equal(results[healthy], results[wrong])


def test_what_cannot_run_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ttnn", str(tmp_path / "missing.py")]) == 2
    assert "no such file" in capsys.readouterr().err
    program = tmp_path / "program.py"
    program.write_text("")
    assert main(["ttnn", "--python", "no-such-python", str(program)]) == 2
    assert "no-such-python: no such program" in capsys.readouterr().err
    assert main(["ttnn", "--python", sys.executable, str(program)]) == 2
    assert "has no ttnn" in capsys.readouterr().err
