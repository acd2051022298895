"""One Tenstorrent Tensix tile: what ``docs/python.md`` shows."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tilelab.build.call import build
    from tilelab.chip.chip import Chip
    from tilelab.chip.several import Chips
    from tilelab.kernels.kernel_toml.file import KernelFile, read_kernel_file
    from tilelab.kernels.result import KernelResult
    from tilelab.kernels.run import run_kernel
    from tilelab.numerics import explain_matmul, matmul_errors
    from tilelab.report.breakdown import Breakdown, breakdown
    from tilelab.runs.study import FailedRun, run_kernels
    from tilelab.tensix.frontend.expand_words import expand
    from tilelab.tensix.run.stop_reason import StopReason
    from tilelab.tensix.tile.tile import Tile, WouldWaitError
    from tilelab.tensix.words.assembly import Program, assemble, disassemble

_PLACES = {
    "Breakdown": "report.breakdown",
    "Chip": "chip.chip",
    "Chips": "chip.several",
    "FailedRun": "runs.study",
    "KernelFile": "kernels.kernel_toml.file",
    "KernelResult": "kernels.result",
    "Program": "tensix.words.assembly",
    "StopReason": "tensix.run.stop_reason",
    "Tile": "tensix.tile.tile",
    "WouldWaitError": "tensix.tile.tile",
    "assemble": "tensix.words.assembly",
    "breakdown": "report.breakdown",
    "build": "build.call",
    "disassemble": "tensix.words.assembly",
    "expand": "tensix.frontend.expand_words",
    "explain_matmul": "numerics",
    "matmul_errors": "numerics",
    "read_kernel_file": "kernels.kernel_toml.file",
    "run_kernel": "kernels.run",
    "run_kernels": "runs.study",
}

__all__ = [
    "Breakdown",
    "Chip",
    "Chips",
    "FailedRun",
    "KernelFile",
    "KernelResult",
    "Program",
    "StopReason",
    "Tile",
    "WouldWaitError",
    "assemble",
    "breakdown",
    "build",
    "disassemble",
    "expand",
    "explain_matmul",
    "matmul_errors",
    "read_kernel_file",
    "run_kernel",
    "run_kernels",
]


def __getattr__(name: str) -> Any:
    """A name of the package: whoever wants tables alone is spared the machine and its engine."""
    if name not in _PLACES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"tilelab.{_PLACES[name]}"), name)


def __dir__() -> list[str]:
    return __all__
