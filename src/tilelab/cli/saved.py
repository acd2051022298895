"""Writes what kernels left in L1 as NumPy files: ``--save-outputs``."""

from collections.abc import Generator
from contextlib import closing
from pathlib import Path

import numpy as np

from tilelab.kernels.result import KernelResult
from tilelab.runs.job import Ran
from tilelab.sim.files import make_folder, telling, writing


def saving(running: Generator[Ran, None, None], folder: Path) -> Generator[Ran, None, None]:
    """Write the outputs of each run as it comes. BadInputError, before any, if that cannot be."""
    make_folder(folder)
    with closing(running):
        for ran in running:
            if isinstance(ran.outcome, KernelResult):
                _save(ran.outcome, folder / ran.name)
            yield ran


def _save(result: KernelResult, folder: Path) -> None:
    """``output0.npy`` and so on, in the order of kernel.toml; arrays of the format's type."""
    if result.outputs:
        with telling(folder):
            folder.mkdir(parents=True, exist_ok=True)
    for number, output in enumerate(result.outputs):
        with writing(folder / f"output{number}.npy") as at, at.open("wb") as file:
            np.save(file, output.values)
