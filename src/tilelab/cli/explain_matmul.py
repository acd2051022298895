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


def explain_matmul(
    a: str | None,
    b: str | None,
    row: int,
    column: int,
    data_format: str,
    fidelity: str,
    dst: str,
    arch: str,
    k: int,
    seed: int,
    distribution: str | None,
    samples: int,
    picture: Path | None,
    json: bool,
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
