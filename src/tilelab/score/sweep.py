"""Every number of an input, put through a kernel a piece at a time."""

from collections.abc import Iterator
from dataclasses import replace
from math import prod
from pathlib import Path

import numpy as np

from tilelab.kernels.arrays import doubles, held
from tilelab.kernels.formula import names
from tilelab.kernels.kernel_toml.file import Input, KernelFile, Output
from tilelab.kernels.kernel_toml.scoring import SWEPT
from tilelab.kernels.run import run_kernel
from tilelab.score.ulp import Errors, Numbers, errors_of, nearer, numbers_of
from tilelab.sim.errors import BadInputError
from tilelab.tensix.tile.tile import Tile


def swept(kernel: KernelFile, folder: Path, max_cycles: int) -> Errors:
    """Run a kernel as often as it takes for all numbers of its ``[score]`` input.

    The other inputs stay as they are. ``folder`` is for files meanwhile. Raises as ``run_kernel``,
    and BadInputError where no output follows from that input element by element.
    """
    assert kernel.scoring is not None
    name = kernel.scoring.sweep
    assert name is not None
    source = next(one for one in kernel.inputs if one.name == name)
    output = _output(kernel, source)
    numbers = numbers_of(source.format)
    runs = [*_pieces(kernel, source, output, numbers, folder, max_cycles)]
    inputs, got, want, away = (
        np.concatenate([run[i] for run in runs])[: len(numbers)] for i in range(4)
    )
    formats = (name, source.format, output.format)
    return errors_of(formats, (inputs, got, want, away), kernel.scoring.ulp, kernel.scoring.domain)


def _output(kernel: KernelFile, source: Input) -> Output:
    """The output that is a function of that input."""
    place = f"{kernel.shown}: score.sweep"
    if source.format not in SWEPT:
        raise BadInputError(f"{place}: {source.name} is {source.format}, not {', '.join(SWEPT)}")
    if source.tiles and source.tiles != tuple(range(prod(source.shape) // 1024)):
        raise BadInputError(f"{place}: {source.name} has tiles of its own order")
    for output in kernel.outputs:
        if output.formula is None or output.shape != source.shape:
            continue
        if output.formula.file is not None or source.name in names(output.formula.text):
            if output.format not in SWEPT:
                raise BadInputError(
                    f"{place}: the output is {output.format}, not {', '.join(SWEPT)}"
                )
            return output
    raise BadInputError(f"{place}: no output of shape {source.shape} expects a formula of it")


def _pieces(
    kernel: KernelFile,
    source: Input,
    output: Output,
    numbers: Numbers,
    folder: Path,
    max_cycles: int,
) -> Iterator[tuple[Numbers, Numbers, Numbers, Numbers]]:
    """Inputs, results, exact results and errors, of each run of the kernel."""
    assert output.formula is not None
    formula, place = output.formula, kernel.outputs.index(output)
    others = {one.name: held(one) for one in kernel.inputs if one.name != source.name}
    size = prod(source.shape)
    file = folder / source.file.name
    inputs = tuple(replace(i, file=file) if i.name == source.name else i for i in kernel.inputs)
    asking = replace(kernel, inputs=inputs)

    def exact(x: Numbers) -> Numbers:
        return formula.of({**others, source.name: x.reshape(source.shape)}).ravel()

    for start in range(0, len(numbers), size):
        piece = np.zeros(size)
        piece[: len(numbers) - start] = numbers[start : start + size]
        with np.errstate(invalid="ignore"):
            np.save(file, piece.astype(np.float32).reshape(source.shape))
        result = run_kernel(asking, Tile(kernel.arch), max_cycles)
        got = doubles(result.outputs[place].values).ravel()
        yield piece, got, *nearer(got, exact, piece, output.format)
