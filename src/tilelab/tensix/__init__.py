"""One Tenstorrent Tensix tile: what ``docs/python.md`` shows."""

from tilelab.tensix.frontend.expand_words import expand
from tilelab.tensix.kernel_toml.file import KernelFile, read_kernel_file
from tilelab.tensix.numerics import explain_matmul, matmul_errors
from tilelab.tensix.programs.run import KernelResult, run_kernel
from tilelab.tensix.report.breakdown import Breakdown, breakdown
from tilelab.tensix.run.stop_reason import StopReason
from tilelab.tensix.tile import Tile, WouldWaitError
from tilelab.tensix.words.assembly import Program, assemble, disassemble

__all__ = [
    "Breakdown",
    "KernelFile",
    "KernelResult",
    "Program",
    "StopReason",
    "Tile",
    "WouldWaitError",
    "assemble",
    "breakdown",
    "disassemble",
    "expand",
    "explain_matmul",
    "matmul_errors",
    "read_kernel_file",
    "run_kernel",
]
