"""pto-isa's flash-attention kernels, unmodified, against NumPy.

    python tests/pto/flash_attention.py PTO_ISA [--kernel NAME] [--preload N] [--shape S0,S1]
        [--mask causal|none] [--repaired]

Prints a row for each kernel, mask and shape: the largest error, seconds of processor time to
compile and to run, and what was told.
"""

from __future__ import annotations

import argparse
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import numpy as np

from tilelab.pto import schedules as ways
from tilelab.pto.native.build import Built, build
from tilelab.pto.native.run import Options, Outcome, run

HOST = Path(__file__).parent / "native" / "flash_attention_host.cpp"
HEAD, CUBE_ROWS = 128, 128
SHAPES = ((128, 1024), (128, 2048), (512, 1024), (512, 2048))


class Kernel(NamedTuple):
    """Where a kernel lies, and how it is built and run."""

    folder: str
    arch: str
    protocol: str
    tile_keys: int  # of one tile, as the kernel's own script has it
    auto: bool = False


KERNELS = {
    "common": Kernel("kernels/manual/common/flash_atten", "a2a3", "sparse", 256),
    "a2a3": Kernel("kernels/manual/a2a3/flash_atten", "a2a3", "sparse", 256),
    "a5": Kernel("kernels/manual/a5/flash_atten", "a5", "sparse", 128),
    "automode": Kernel("kernels/automode/a2a3/flash_atten", "a2a3", "sparse", 256, auto=True),
    "automode_a5": Kernel("kernels/automode/a5/flash_atten", "a5", "sparse", 128, auto=True),
}
# automode/a5 with a causal mask: the Vector cores wait for PV of every tile, and the Cube makes
# none of those above the diagonal. `--repaired` mends that, in a copy of the source.
MEND = Path(__file__).parent / "automode_a5" / "mend.patch"


@dataclass
class Compiled:
    """A kernel's library for some shapes, and what compiling it took."""

    kernel: Kernel
    built: Built
    causal: bool
    elapsed: float
    processor: float


def compiled(
    isa: Path, name: str, causal: bool, shapes: tuple[tuple[int, int], ...], folder: Path,
    preload: int = 4, repaired: bool = False,
) -> Compiled:  # fmt: skip
    """Build a kernel for shapes; the vendor's script makes the header that instantiates it."""
    kernel = KERNELS[name]
    source = isa / kernel.folder / "fa_performance_kernel.cpp"
    tile = kernel.tile_keys
    cases = [f"--cases={HEAD},{rows},{keys},{CUBE_ROWS},{tile}" for rows, keys in shapes]
    subprocess.run(
        [sys.executable, str(source.parent / "scripts" / "generate_cases.py"), *cases,
         f"--qk-preload={preload}", *(["--causal-mask=1"] if causal else []),
         f"--output-header={folder}/generated_cases.h", f"--output-json={folder}/cases.json"],
        check=True, stdout=subprocess.DEVNULL,
    )  # fmt: skip
    if repaired:
        source = _repaired(source, isa, folder)
    start, before = time.monotonic(), _used()
    built = build(source, [HOST], isa, kernel.arch, None, (), [folder], kernel.auto)
    return Compiled(kernel, built, causal, time.monotonic() - start, _used() - before)


def _repaired(source: Path, isa: Path, folder: Path) -> Path:
    """A copy of automode/a5 that counts PV tiles as its Cube makes them."""
    copy = folder / "repaired" / source.relative_to(isa)
    shutil.copytree(source.parent, copy.parent, ignore=shutil.ignore_patterns("build", "scripts"))
    subprocess.run(["git", "apply", "--whitespace=nowarn", str(MEND)], cwd=folder / "repaired",
                   check=True)  # fmt: skip
    return copy


class Attended(NamedTuple):
    """One run: its largest error, and what it left."""

    error: float
    outcome: Outcome
    processor: float


def attend(
    one: Compiled, rows: int, keys: int, folder: Path, order: object = None, trace: bool = False
) -> Attended:
    """Run a built kernel on random data for one shape."""
    rng = np.random.default_rng(7)
    q, k = ((rng.standard_normal((n, HEAD)) * 1.5).astype(np.float16) for n in (rows, keys))
    v = rng.standard_normal((keys, HEAD)).astype(np.float16)
    for name, array in (("q", q), ("kt", k), ("v", v)):
        array.tofile(folder / f"{name}.bin")
    (folder / "out.bin").unlink(missing_ok=True)
    kernel = one.kernel
    options = Options(
        kernel.arch, kernel.protocol, auto=kernel.auto, arguments=[str(rows), str(keys)],
        folder=folder, trace=trace, timeout=600,
    )  # fmt: skip
    before = _used()
    outcome = run(one.built, options, order or ways.in_turn())
    used = _used() - before
    file = folder / "out.bin"
    if outcome.error is not None or not file.exists():
        return Attended(float("nan"), outcome, used)
    out = np.fromfile(file, np.float32).reshape(rows, HEAD)
    return Attended(float(np.abs(out - reference(q, k, v, one.causal)).max()), outcome, used)


def _used() -> float:
    """Processor time of all children so far."""
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def reference(q: np.ndarray, k: np.ndarray, v: np.ndarray, causal: bool) -> np.ndarray:
    """Attention in float64."""
    scores = q.astype(np.float64) @ k.T.astype(np.float64) / np.sqrt(HEAD)
    if causal:
        scores = np.where(np.tril(np.ones_like(scores)), scores, -np.inf)
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    return (weights / weights.sum(axis=1, keepdims=True)) @ v.astype(np.float64)


def main() -> None:
    """Run them and print a table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("isa", type=Path)
    parser.add_argument("--kernel", action="append", choices=sorted(KERNELS))
    parser.add_argument("--preload", type=int, default=4)
    parser.add_argument("--shape", action="append")
    parser.add_argument("--mask", choices=("causal", "none"))
    parser.add_argument("--repaired", action="store_true", help="automode_a5 with its repair")
    given = parser.parse_args()
    shapes = tuple(tuple(map(int, one.split(","))) for one in given.shape or ()) or SHAPES
    for name in given.kernel or ("common", "a5", "automode"):
        for causal in (False, True):
            if given.mask and causal != (given.mask == "causal"):
                continue
            with tempfile.TemporaryDirectory() as scratch:
                folder = Path(scratch)
                one = compiled(
                    given.isa, name, causal, shapes, folder, given.preload, given.repaired
                )
                mask = "causal" if causal else "no mask"
                print(f"{name}, {mask}: compiled in {one.processor:.1f} s of processor time, "
                      f"{one.elapsed:.1f} s elapsed")  # fmt: skip
                for rows, keys in shapes:
                    done = attend(one, rows, keys, folder)
                    codes = dict(Counter(finding.code for finding in done.outcome.findings))
                    seconds = f"ran {done.processor:.1f} s"
                    told = f"told {codes or 'nothing'}"
                    print(f"  {rows}x{keys}: error {done.error:.2g}, {seconds}, {told}")
                    if done.outcome.error is not None:
                        print(f"    {done.outcome.error.summary}")
                    for finding in {f.message: f for f in done.outcome.findings}.values():
                        print(f"    {finding.code} {finding.message}")
                    sys.stdout.flush()


if __name__ == "__main__":
    main()
