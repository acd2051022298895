"""``tilelab explain-matmul``: one element of a matrix product, or the errors of many."""

import io
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from tilelab.cli.console import progress_line, stderr, stdout
from tilelab.cli.streams import print_json, read_bytes, shown
from tilelab.cli.usage import CHIP, JSON, Only, command, option
from tilelab.numerics import explain_matmul as explain
from tilelab.numerics import matmul_errors
from tilelab.numerics.svg import errors_svg
from tilelab.numerics.text import error_lines, explanation_lines
from tilelab.sim.errors import BadInputError
from tilelab.sim.files import writing
from tilelab.sim.npy import read_npy

Matrix = npt.NDArray[Any]


def _load(path: str) -> Matrix:
    """Read a .npy file."""
    return read_npy(io.BytesIO(read_bytes(path)), shown(path))


def _matrices(a: str | None, b: str | None, k: int, seed: int) -> tuple[Matrix, Matrix]:
    """The matrices of two files, or a random row and column."""
    if (a is None) != (b is None):
        raise BadInputError("give both -a and -b, or neither for random operands")
    if a is not None and b is not None:
        return _load(a), _load(b)
    rng = np.random.default_rng(seed)
    return rng.standard_normal((1, k)), rng.standard_normal((k, 1))


@command(
    rules=(
        Only("samples picture", "distribution"),
        Only("a b row column fidelity", "distribution", without=True),
        Only("k seed", "a b", without=True),
    ),
    old={"--svg": "picture"},
)
def explain_matmul(
    a: str | None = option("-a FILE.npy", "The matrix A, (m, k).", short=True),
    b: str | None = option("-b FILE.npy", "The matrix B, (k, n).", short=True),
    row: int = option("Row of the element.", default=0, min=0),
    column: int = option("Column of the element.", default=0, min=0),
    data_format: str = option(
        "--format",
        "The operands' format.",
        choices=("bf16", "tf32", "bfp8", "bfp4", "fp16", "fp8"),
        default="bf16",
    ),
    fidelity: str = option(
        "How many phases.", choices=("lofi", "hifi2", "hifi3", "hifi4"), default="hifi4"
    ),
    dst: str = option("Bits of a number in Dst.", choices=("16", "32"), default="16"),
    arch: str = CHIP,
    k: int = option("Length of random operands.", default=16, min=1, max=4096),
    seed: int = option("Of random operands.", default=0, min=0),
    distribution: str | None = option(
        "Measure errors over operands that are so distributed.",
        choices=("normal", "uniform", "positive", "lognormal"),
    ),
    samples: int = option("How many results to measure.", default=4096, min=1),
    picture: Path | None = option("FILE.svg", "Also draw the errors."),
    json: bool = JSON,
) -> None:
    """Explain one element of a matrix product, or measure the errors of all fidelities."""
    if distribution is not None:
        _errors(distribution, k, samples, data_format, int(dst), arch, seed, picture, json)
        return
    left, right = _matrices(a, b, k, seed)
    found = explain(
        left,
        right,
        row,
        column,
        data_format=data_format,
        fidelity=fidelity,
        dst_bits=int(dst),
        arch=arch,
    )
    if json:
        print_json(asdict(found))
        return
    for line in explanation_lines(found):
        stdout.out(line)


def _errors(
    distribution: str,
    k: int,
    samples: int,
    data_format: str,
    dst: int,
    arch: str,
    seed: int,
    svg: Path | None,
    json: bool,
) -> None:
    title = f"{distribution} {data_format} operands, k = {k}, {dst}-bit Dst, {arch}"
    with ExitStack() as stack:
        at = None if svg is None else stack.enter_context(writing(svg))
        show = stack.enter_context(progress_line(stderr))
        found = matmul_errors(
            distribution,
            k=k,
            samples=samples,
            data_format=data_format,
            dst_bits=dst,
            arch=arch,
            seed=seed,
            progress=lambda done: show(f"{done:,} of {samples:,} results"),
        )
        if at is not None:
            at.write_text(errors_svg(found, title), encoding="utf-8")
    if json:
        print_json({"title": title, "fidelities": [asdict(row) for row in found]})
        return
    stdout.out(f"{title}: error / sum of |products| of {found[0].samples} results")
    for line in error_lines(found):
        stdout.out(line)
