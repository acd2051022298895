"""Runs programs of ttnn on tilelab's chip and on the vendor's simulator, where they are at hand."""

import json
import math
import os
import subprocess
from collections.abc import Callable, Sequence
from contextlib import chdir
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from tilelab.cli.main import main
from tilelab.cli.ttnn import chip_environment
from tilelab.tensix.arch import arch
from tilelab.vendor.library.folder import lay_out, one_tile

PYTHON = os.environ.get("TILELAB_TTNN_PYTHON")
VENDORS = os.environ.get("TILELAB_TTSIM")
HOW = "set TILELAB_TTNN_PYTHON to a Python that has ttnn"
PROGRAMS = Path(__file__).with_name("chip")
FIGURES = Path(__file__).with_name("data") / "ttnn_models.json"
Array = npt.NDArray[np.float64]
Results = dict[str, npt.NDArray[np.float32]]


@dataclass(frozen=True)
class Run:
    """A chip, whether it has one tile, and whether commands go through dispatch tiles."""

    chip: str
    one: bool = False
    fast: bool = False


def on_tilelab(
    run: Run, program: str, out: Path, cases: Sequence[str], flags: Sequence[str] = ()
) -> Results:
    """What a program beside the tests of the chip keeps, run by ``tilelab ttnn``."""
    flags = [*flags, *["--one-tile"] * run.one, *["--fast-dispatch"] * run.fast]
    assert PYTHON
    words = ["ttnn", *flags, "--arch", run.chip, "--python", PYTHON]
    with chdir(out.parent):  # the host leaves files where it runs
        assert main([*words, str(PROGRAMS / program), str(out), *cases]) == 0
    return dict(np.load(out))


def on_the_vendors(run: Run, program: str, folder: Path, cases: Sequence[str]) -> Results:
    """The same on the vendor's library, with our description beside it."""
    assert PYTHON
    assert VENDORS
    tiles = one_tile(arch(run.chip)) if run.one else None
    library = lay_out(folder / "vendors", run.chip, tiles)
    library.unlink()
    name = {"blackhole": "libttsim_bh.so", "wormhole": "libttsim_wh.so"}[run.chip]
    library.symlink_to((Path(VENDORS) / name).resolve())
    out = folder / "vendors.npz"
    command = [PYTHON, str(PROGRAMS / program), str(out), *cases]
    environment = chip_environment(library, (1, 1) if run.one else None, run.fast)
    subprocess.run(command, env=environment, check=True, cwd=folder)
    return dict(np.load(out))


def wheel_folder() -> Path:
    """Where the wheel is installed."""
    assert PYTHON
    ask = "import importlib.util as u; print(u.find_spec('ttnn').origin)"
    asked = subprocess.run([PYTHON, "-c", ask], capture_output=True, text=True, check=True)
    return Path(asked.stdout.strip()).parent


def compiler() -> str:
    """What the compiler says of itself that the wheel finds."""
    command = wheel_folder() / "runtime/sfpi/compiler/bin/riscv-tt-elf-g++"
    return subprocess.run([command, "--version"], capture_output=True, text=True, check=True).stdout


def _gelu(x: Array) -> Array:
    return x / 2 * (1 + np.vectorize(math.erf)(x / math.sqrt(2)))


def _softmax(x: Array) -> Array:
    powers = np.exp(x - x.max(-1, keepdims=True))
    return np.asarray(powers / powers.sum(-1, keepdims=True))


def _layer_norm(x: Array) -> Array:
    return np.asarray((x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-12))


EXPECTED: dict[str, Callable[..., Array]] = {
    "relu": lambda x: np.maximum(x, 0),
    "exp": np.exp,
    "log": np.log,
    "gelu": _gelu,
    "tanh": np.tanh,
    "mul": np.multiply,
    "sum": lambda x: x.sum(-1),
    "mean": lambda x: x.mean(-1),
    "max": lambda x: x.max(-1),
    "softmax": _softmax,
    "layer_norm": _layer_norm,
    "typecast float32": lambda x: x,
    "typecast uint16": lambda x: np.floor(x + 0.5),
    "typecast int32": np.trunc,
    "mlp": lambda x, w1, b1, w2, b2: _gelu(x @ w1 + b1) @ w2 + b2,
    "attention": lambda q, k, v: _softmax(q @ k.T / 8) @ v,
}
"""What NumPy gives in float64, of the operands as they are."""
MODELS = tuple(EXPECTED)


def errors(results: Results) -> dict[str, dict[str, float]]:
    """Of each model, the largest error and the largest number expected."""
    found = {}
    for case, expected in EXPECTED.items():
        count = sum(name.rpartition(" ")[0] == case for name in results)
        operands = [results[f"{case} {i}"].astype(np.float64) for i in range(count)]
        right = expected(*operands)
        off = np.abs(results[case].astype(np.float64) - right).max()
        found[case] = {"error": float(off), "largest": float(np.abs(right).max())}
    return found


def recorded() -> dict[str, dict[str, dict[str, float]]]:
    """The errors that were measured, by chip."""
    found: dict[str, dict[str, dict[str, float]]] = json.loads(FIGURES.read_text(encoding="utf-8"))
    return found
