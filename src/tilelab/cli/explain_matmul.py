"""``tilelab explain-matmul``: one element of a matrix product, or the errors of many."""

import io
from contextlib import ExitStack
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import numpy.typing as npt
import typer

from tilelab.cli.console import print_json, progress_line, read_bytes, shown, stderr, stdout
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
    if not 1 <= k <= 4096:
        raise BadInputError(f"--k {k}: choose 1 to 4096")
    rng = np.random.default_rng(seed)
    return rng.standard_normal((1, k)), rng.standard_normal((k, 1))


def explain_matmul(
    a: Annotated[str | None, typer.Option("-a", help="A .npy file with A, (m, k).")] = None,
    b: Annotated[str | None, typer.Option("-b", help="A .npy file with B, (k, n).")] = None,
    row: Annotated[int, typer.Option(min=0, help="Row of the element.")] = 0,
    column: Annotated[int, typer.Option(min=0, help="Column of the element.")] = 0,
    data_format: Annotated[
        str, typer.Option("--format", help="bf16, tf32, bfp8, bfp4, fp16 or fp8.")
    ] = "bf16",
    fidelity: Annotated[str, typer.Option(help="lofi, hifi2, hifi3 or hifi4.")] = "hifi4",
    dst: Annotated[int, typer.Option(help="Bits of a number in Dst: 16 or 32.")] = 16,
    arch: Annotated[str, typer.Option(help="blackhole or wormhole.")] = "blackhole",
    k: Annotated[int, typer.Option(help="Length of random operands.")] = 16,
    seed: Annotated[int, typer.Option(min=0, help="Of random operands.")] = 0,
    distribution: Annotated[
        str | None,
        typer.Option(help="Measure errors over normal, uniform, positive or lognormal operands."),
    ] = None,
    samples: Annotated[int, typer.Option(help="How many results to measure.")] = 4096,
    svg: Annotated[Path | None, typer.Option(help="Also draw the errors into this file.")] = None,
    json: Annotated[bool, typer.Option("--json", help="One JSON document.")] = False,
) -> None:
    """Explain one element of a matrix product, or measure the errors of all fidelities."""
    if distribution is not None:
        if a is not None or b is not None:
            raise BadInputError("--distribution draws operands: drop -a and -b")
        _errors(distribution, k, samples, data_format, dst, arch, seed, svg, json)
        return
    if svg is not None:
        raise BadInputError("--svg draws errors: give a --distribution")
    left, right = _matrices(a, b, k, seed)
    found = explain(
        left,
        right,
        row,
        column,
        data_format=data_format,
        fidelity=fidelity,
        dst_bits=dst,
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
