"""What a kernel leaves in L1, against what its file expects."""

from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from tilelab.kernels.arrays import doubles, held, read_array
from tilelab.kernels.diagnose import Wrong, diagnose
from tilelab.kernels.drained import not_pushed
from tilelab.kernels.kernel_toml.file import KernelFile, Output
from tilelab.kernels.prepared import unprepared
from tilelab.sim.errors import BadInputError
from tilelab.sim.npy import map_npy
from tilelab.tensix.tile.tile import Tile


@dataclass(frozen=True)
class Mismatch:
    """The first element that is wrong, by index in the array."""

    index: tuple[int, ...]
    got: float
    expected: float


def nothing() -> npt.NDArray[Any]:
    """No values."""
    return np.zeros(0, np.float32)


@dataclass(frozen=True)
class OutputResult:
    """How one output compares. ``worst`` is the largest absolute error, None if unchecked."""

    address: int
    shape: tuple[int, ...]
    elements: int
    wrong: int
    worst: float | None
    first: Mismatch | None
    bytes_differ: int | None
    """Bytes that differ from ``exact``; None if the kernel gives no exact bytes."""
    diagnosis: tuple[str, ...] = ()
    """Which tiles, faces and rows are wrong, and what it looks like, if that can be said."""
    format: str = ""
    values: npt.NDArray[Any] = field(default_factory=nothing, compare=False, repr=False)
    """What the output holds."""
    expected: npt.NDArray[Any] | None = field(default=None, compare=False, repr=False)
    """What it should hold, if the kernel says so."""
    not_pushed: str = ""
    """Why the host would not get all of it, however right it is."""

    @property
    def passed(self) -> bool:
        """Whether nothing differs that was checked, and the host gets it."""
        return not self.wrong and not self.bytes_differ and not self.not_pushed

    def lines(self) -> list[str]:
        """The verdict, the first wrong element, and the diagnosis."""
        lines = []
        shape = "x".join(str(length) for length in self.shape)
        if self.worst is not None:
            state = (
                f"{self.wrong} of {self.elements} elements wrong"
                if self.wrong
                else (f"{self.elements} elements right")
            )
            lines.append(f"{self.address:#x} {shape}: {state}, largest error {self.worst:.4g}")
        elif self.bytes_differ is None:
            lines.append(f"{self.address:#x} {shape}: {self.elements} elements, nothing to compare")
        if self.bytes_differ is not None:
            differ = self.bytes_differ
            exact = f"{differ} bytes differ from" if differ else "every byte equal to"
            lines.append(f"{self.address:#x} {shape}: {exact} the recorded result")
        if self.first is not None:
            where = ", ".join(str(i) for i in self.first.index)
            lines.append(
                f"first wrong element [{where}]: got {self.first.got:g}, "
                f"expected {self.first.expected:g}"
            )
        told = [self.not_pushed] if self.not_pushed else []
        return [*lines, *told, *self.diagnosis]


def differences(
    got: npt.NDArray[np.float64], want: npt.NDArray[np.float64], absolute: float, relative: float
) -> tuple[npt.NDArray[np.bool_], float]:
    """Which elements are further than ``absolute + relative × |want|`` away, and the largest error.

    NaN is right where NaN is expected, and an infinity where the same one is: their error is 0.
    Any other element with a NaN or an infinity is wrong; its error is infinite.
    """
    same = (got == want) | (np.isnan(got) & np.isnan(want))
    finite = np.isfinite(got) & np.isfinite(want)
    error = np.where(same, 0.0, np.inf)
    np.subtract(got, want, out=error, where=finite)
    error = np.abs(error)
    room = absolute + relative * np.abs(np.where(finite, want, 0.0))
    return ~(same | (finite & (error <= room))), float(error.max(initial=0.0))


def expected_values(kernel: KernelFile, output: Output) -> npt.NDArray[Any] | None:
    """What an output should hold, None if the kernel does not say.

    BadInputError for a formula that has no value of the output's shape.
    """
    if output.formula is None:
        return np.array(map_npy(output.expect)) if output.expect is not None else None
    value = output.formula.of({item.name: held(item) for item in kernel.inputs})
    if value.shape != output.shape:
        text = output.formula.text
        raise BadInputError(
            f"{kernel.shown}: expect {text!r} has shape {value.shape}, not {output.shape}"
        )
    return value


def compare(
    tile: Tile, kernel: KernelFile, output: Output, expected: npt.NDArray[Any] | None
) -> OutputResult:
    """Compare one output with what it should hold, and with the kernel's exact bytes."""
    values = read_array(tile, output)
    got = doubles(values)
    wrong = np.zeros(got.shape, bool)
    worst = first = None
    diagnosis: list[str] = []
    if expected is not None:
        want = doubles(expected)
        room = output.absolute, output.relative
        wrong, worst = differences(got, want, *room)
        if wrong.any():
            index = tuple(int(i) for i in np.argwhere(wrong)[0])
            first = Mismatch(index, float(got[index]), float(want[index]))
            same = partial(_same, room)
            diagnosis = diagnose(Wrong(got, want, wrong, same, output.format))
    differ = None
    if output.exact is not None:
        raw = np.frombuffer(tile.read(output.address, output.size), np.uint8)
        differ = int((raw != map_npy(output.exact)).sum())
    if wrong.any() or differ:
        diagnosis += unprepared(kernel, tile.programs)
    return OutputResult(
        output.address, output.shape, got.size, int(wrong.sum()), worst, first, differ,
        tuple(diagnosis), output.format, values, expected, not_pushed(tile, kernel, output),
    )  # fmt: skip


def _same(
    room: tuple[float, float], got: npt.NDArray[np.float64], want: npt.NDArray[np.float64]
) -> npt.NDArray[np.bool_]:
    return ~differences(got, want, *room)[0]
