"""Unmodified ttnn programs, where the wheel is installed, beside the vendor's simulator."""

import json
import re
import sys
import tempfile
from contextlib import chdir
from pathlib import Path

import numpy as np
import pytest

from tilelab.cli.main import main
from tilelab.tensix.arch import arch
from ttnn_runs import (
    HOW,
    MODELS,
    PROGRAMS,
    PYTHON,
    VENDORS,
    Results,
    Run,
    compiler,
    errors,
    on_the_vendors,
    on_tilelab,
    recorded,
    wheel_folder,
)

PROGRAM = "ttnn_program.py"
CASES = (
    "copy:bf16:64", "copy:bfp8:64", "generic:bf16:64", "add:bf16:32", "add:bfp8:64", "sub:bf16:64",
    "sub:bfp8:64", "concat:bf16:64", "transpose:bf16:64", "untilize:bf16:64",
    "tilize:bf16:64",
)  # fmt: skip


def products(*kinds: str) -> tuple[str, ...]:
    """Matrix products of all sizes that are compared."""
    return tuple(f"matmul:{kind}:{n}" for kind in kinds for n in (64, 128, 256, 512))


RUNS = {
    "blackhole, one tile": (
        Run("blackhole", one=True),
        (*CASES, *products("bf16", "bfp8", "fp32"), "add:fp32:64", "sub:fp32:64"),
    ),
    "wormhole, one tile": (
        Run("wormhole", one=True),
        (*CASES, *products("bf16", "bfp8"), "matmul:fp32:64", "matmul:fp32:128"),
    ),
    "blackhole": (Run("blackhole"), (*CASES, *products("bf16", "bfp8", "fp32"))),
    "wormhole": (Run("wormhole"), (*CASES, *products("bf16", "bfp8"))),
    "blackhole, fast dispatch": (
        Run("blackhole", fast=True),
        (*CASES, *products("bf16", "bfp8", "fp32")),
    ),
    "wormhole, fast dispatch": (Run("wormhole", fast=True), (*CASES, *products("bf16", "bfp8"))),
}
"""How it runs, and what. The vendor's simulator refuses fp32's matmul on all of Wormhole's tiles
(UnsupportedFunctionality: cfg_context_id=1), from 256 on also on one tile, and its add
(UndefinedBehavior: tensix_unpacr)."""


@pytest.mark.parametrize(
    "program", ["ttnn_program.py", "ttnn_models.py", "ttnn_wide.py", "ttnn_survey.py"]
)
def test_what_the_live_tests_run_is_there(program: str) -> None:
    assert (PROGRAMS / program).is_file()


@pytest.mark.parametrize("name", RUNS)
def test_programs_run(name: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    if PYTHON is None:
        pytest.skip(HOW)
    run, cases = RUNS[name]
    ours = on_tilelab(run, PROGRAM, tmp_path / "ours.npz", cases)
    booted = 1 if run.one else len(arch(run.chip).layout.tensix)
    assert f"{run.chip}: {booted} tiles booted" in capfd.readouterr().out
    rng = np.random.default_rng(1)
    a = rng.standard_normal((64, 128)).astype(np.float32)
    kept = ours["copy:bf16:64 0"]
    assert np.abs(kept - a).max() < 2**-6
    for moved, expected in (("transpose", kept.T), ("tilize", kept), ("untilize", kept)):
        assert np.array_equal(ours[f"{moved}:bf16:64 0"], expected)
    for case, result in ours.items():
        assert np.isfinite(result).all()
        assert result.tobytes() == ours[f"{case[:-1]}0"].tobytes()
    if VENDORS is not None:
        assert not differing(ours, on_the_vendors(run, PROGRAM, tmp_path, cases))


def differing(ours: Results, theirs: Results) -> list[str]:
    assert theirs.keys() == ours.keys()
    return [name for name in ours if ours[name].tobytes() != theirs[name].tobytes()]


@pytest.mark.parametrize("chip", ["blackhole", "wormhole"])
def test_models_by_tilelabs_compiler(
    chip: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Their errors are the documented ones; the same ELFs give the vendor's bytes."""
    if PYTHON is None:
        pytest.skip(HOW)
    kernels = tmp_path / "kernels"
    monkeypatch.setenv("TT_METAL_CACHE", f"{kernels}/")
    run = Run(chip, one=True)
    ours = on_tilelab(run, "ttnn_models.py", tmp_path / "ours.npz", MODELS)
    if "tilelab" not in compiler():
        pytest.skip("the wheel has another compiler under runtime/sfpi")
    assert errors(ours) == recorded()[chip]
    if VENDORS is not None:
        built = {path: path.read_bytes() for path in kernels.rglob("*.elf")}
        assert not differing(ours, on_the_vendors(run, "ttnn_models.py", tmp_path, MODELS))
        assert {
            path for path in kernels.rglob("*.elf") if path.read_bytes() != built[path]
        } == set()


@pytest.mark.parametrize("chip", ["blackhole", "wormhole"])
def test_kernels_use_sfploadmacro_if_asked_to(chip: str, tmp_path: Path) -> None:
    if PYTHON is None:
        pytest.skip(HOW)
    out = tmp_path / "out.npz"
    words = ["ttnn", "--one-tile", "--macros", "--arch", chip, "--python", PYTHON]
    assert main([*words, str(PROGRAMS / "ttnn_attention.py"), str(out)]) == 0
    kept = {name: value[0, 0].astype(np.float64) for name, value in np.load(out).items()}
    scores = kept["q"] @ kept["k"].T / np.sqrt(kept["q"].shape[1])
    scores[np.triu_indices(len(scores), 1)] = -np.inf
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    wanted = weights / weights.sum(axis=1, keepdims=True) @ kept["v"]
    assert np.abs(kept["result"] - wanted).max() < 0.1


PRECOMPILED = {"blackhole": 11660721212704224774, "wormhole": 12504038905180010541}
"""In ttnn 0.81.1: under which name the wheel has firmware for a whole chip. Under which one a host
of a simulated chip looks for it depends on the compiler: as it calls what it compiles itself."""


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


def with_precompiled_firmware(chip: str, root: Path, name: str) -> None:
    """What the wheel has, with its own firmware where the host looks for it."""
    wheel = wheel_folder()
    made = links_without(wheel, root, "tt_metal/pre-compiled")
    made.mkdir()
    (made / name).symlink_to(wheel / "tt_metal" / "pre-compiled" / str(PRECOMPILED[chip]))


@pytest.mark.parametrize("chip", PRECOMPILED)
def test_the_wheels_own_firmware_boots_on_every_tile(
    chip: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    if PYTHON is None:
        pytest.skip(HOW)
    program = [str(PROGRAMS / PROGRAM), str(tmp_path / "out.npz"), "copy:bf16:64"]
    monkeypatch.setenv("TT_METAL_CACHE", str(tmp_path / "compiled") + "/")
    assert main(["ttnn", "--arch", chip, "--python", PYTHON, *program]) == 0
    capfd.readouterr()
    (firmware,) = (tmp_path / "compiled").rglob("firmware")
    with_precompiled_firmware(chip, tmp_path / "root", re.sub(r"\D*", "", firmware.parent.name))
    monkeypatch.setenv("TT_METAL_RUNTIME_ROOT", str(tmp_path / "root"))
    monkeypatch.setenv("TT_METAL_CACHE", str(tmp_path / "cache") + "/")
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
        assert main(["ttnn", *flags, str(PROGRAMS / PROGRAM), str(out), "upsample:bf16:4"]) == 0
        results[root, late] = np.load(out)["upsample:bf16:4 0"]
        said[root, late] = capfd.readouterr().err
    healthy, wrong, lucky = results
    first = shipped[: shipped.index("noc.async_read(")].count("\n") + 1
    assert "a barrier is missing" in said[wrong]
    assert f"({Path(READER).name}:{first} → async_read" in said[wrong]
    assert "a barrier is missing" not in said[healthy] + said[lucky]
    assert np.array_equal(results[healthy], results[lucky])
    assert not np.array_equal(results[healthy], results[wrong])


EXPECTED = {"cb-pop-unwaited"}
"""Of this operation: its compute kernel, bilinear.cpp, pops the weights' buffer and never waits for
it. The reader pushes that one first, so the wait for the other is enough."""


def test_the_checker_names_the_vendors_missing_barrier(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without late delivery: the results are right, and yet nothing makes them so."""
    if PYTHON is None:
        pytest.skip(HOW)
    wheel, out = wheel_folder(), tmp_path / "out.npz"
    shipped = (wheel / READER).read_text()
    without = shipped.replace(BARRIER, BARRIER.partition("\n")[2].strip())
    links_without(wheel, tmp_path / "root", READER).write_text(without)
    found = {}
    for root in (wheel, tmp_path / "root"):
        monkeypatch.setenv("TT_METAL_RUNTIME_ROOT", str(root))
        monkeypatch.setenv("TT_METAL_CACHE", f"{tmp_path / 'cache'}{int(root == wheel)}/")
        words = ["ttnn", "--one-tile", "--python", PYTHON, "--check", "--json"]
        assert main([*words, str(PROGRAMS / PROGRAM), str(out), "upsample:bf16:4"]) == 1
        (run,) = json.loads(capsys.readouterr().out)["runs"]
        found[root] = run["findings"]
    assert {one["check"] for one in found[wheel]} == EXPECTED
    more = [one for one in found[tmp_path / "root"] if one["check"] not in EXPECTED]
    assert {one["check"] for one in more} == {"noc-read-unwaited"}
    reads = {one["parties"][1]["line"] for one in more}
    asks = [i for i, line in enumerate(shipped.splitlines(), 1) if "noc.async_read(" in line]
    assert reads <= {f"{Path(READER).name}:{line}" for line in asks}
    assert {one["parties"][1]["actor"] for one in more} <= {"NoC 0 read", "NoC 1 read"}


SILENT = {
    "blackhole, one tile": (Run("blackhole", one=True), CASES[:9] + products("bf16")[:1]),
    "wormhole, one tile": (Run("wormhole", one=True), CASES[:9] + products("bf16")[:1]),
    "blackhole, fast dispatch": (Run("blackhole", fast=True), (CASES[0], CASES[3])),
    "wormhole, fast dispatch": (Run("wormhole", fast=True), (CASES[0], CASES[3])),
}


@pytest.mark.parametrize("name", SILENT)
def test_shipped_programs_are_silent_under_the_checker(
    name: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    if PYTHON is None:
        pytest.skip(HOW)
    run, cases = SILENT[name]
    on_tilelab(run, PROGRAM, tmp_path / "ours.npz", cases, ("--check",))
    assert "ttnn_program.py: nothing found, " in capfd.readouterr().out


FIRMWARE = "tt_metal/hw/firmware/src/tt-1xx/brisc.cc"
UP = "    mailboxes->go_messages[0].signal = RUN_MSG_DONE;\n\n    // Initialize the NoCs"
"""Where BRISC's firmware says that it is up."""
COUNTS = "    for (volatile uint32_t i = 0; i != 4000000000u; i = i + 1) {}\n"


def test_firmware_that_takes_longer_than_the_host_waits_ends_with_one_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    if PYTHON is None:
        pytest.skip(HOW)
    shipped = (wheel_folder() / FIRMWARE).read_text()
    assert shipped.count(UP) == 1
    links_without(wheel_folder(), tmp_path / "root", FIRMWARE).write_text(
        shipped.replace(UP, COUNTS + UP)
    )
    monkeypatch.setenv("TT_METAL_RUNTIME_ROOT", str(tmp_path / "root"))
    monkeypatch.setenv("TT_METAL_CACHE", str(tmp_path / "cache") + "/")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    words = ["ttnn", "--one-tile", "--python", PYTHON, str(PROGRAMS / PROGRAM)]
    assert main([*words, str(tmp_path / "out.npz"), "copy:bf16:64"]) == 1
    said = "".join(capfd.readouterr())
    assert said.count("Timeout (30000 ms) waiting for physical cores to finish: 1-2") == 1
    assert list((tmp_path / "temporary").iterdir()) == []


def test_what_cannot_run_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ttnn", str(tmp_path / "missing.py")]) == 2
    assert "no such file" in capsys.readouterr().err
    program = tmp_path / "program.py"
    program.write_text("")
    assert main(["ttnn", "--python", "no-such-python", str(program)]) == 2
    assert "no-such-python: no such program" in capsys.readouterr().err
    assert main(["ttnn", "--python", sys.executable, str(program)]) == 2
    assert "has no ttnn" in capsys.readouterr().err


GRID = """
import numpy as np, ttnn
device = ttnn.open_device(device_id=0)
print("grid", device.compute_with_storage_grid_size())
ones = np.ones((1, 1, 64, 64), np.float32)
a = ttnn.Tensor(ones, ttnn.bfloat16, device, ttnn.TILE_LAYOUT, ttnn.DRAM_MEMORY_CONFIG)
host = ttnn.add(a, a).cpu().to(ttnn.ROW_MAJOR_LAYOUT)
assert (ttnn.to_dtype(host, ttnn.float32).to_numpy() == 2).all()
ttnn.close_device(device)
"""


@pytest.mark.parametrize(
    ("board", "grid", "booted"),
    [
        ("p100a", "11-10", "blackhole: 120 tiles"),
        ("p150a", "13-10", "blackhole: 140 tiles"),
        ("n150", "8-8", "wormhole: 72 tiles"),
        ("n300", "8-7", "wormhole: 64 tiles"),
    ],
)
def test_a_program_sees_a_boards_grid(
    board: str, grid: str, booted: str, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    if PYTHON is None:
        pytest.skip(HOW)
    (tmp_path / "grid.py").write_text(GRID)
    with chdir(tmp_path):
        assert main(["ttnn", "--board", board, "--python", PYTHON, "grid.py"]) == 0
    said = capfd.readouterr().out
    assert f"grid {grid}" in said
    assert booted in said


def test_the_pages_program_runs(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    if PYTHON is None:
        pytest.skip(HOW)
    page = (Path(__file__).parents[2] / "docs" / "chip.md").read_text(encoding="utf-8")
    found = re.search(r"```python\n# add\.py\n(.*?)```", page, re.S)
    assert found
    (tmp_path / "add.py").write_text(found[1])
    with chdir(tmp_path):  # the host leaves files where it runs
        assert main(["ttnn", "--one-tile", "--python", PYTHON, "add.py"]) == 0
    said = capfd.readouterr().out
    (error,) = re.findall(r"largest error: (\S+)", said)
    assert float(error) < 2**-5
    assert "blackhole: 1 tiles booted, 1 computed" in said
