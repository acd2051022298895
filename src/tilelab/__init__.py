"""tilelab: Tenstorrent's Tensix cores, and two other machines of tiles, simulated bit for bit.

``tilelab.tensix``, ``tilelab.pto`` and ``tilelab.tilext`` are the machines; ``docs/python.md`` says
how to use them. Here are the examples, the errors that everything raises, and the names of
``tilelab.tensix``, so that one import is enough.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from tilelab import moved

if TYPE_CHECKING:
    from pathlib import Path

    from tilelab.score.apart import score
    from tilelab.score.tune import tune
    from tilelab.sim.errors import BadInputError, DeadlockError, MachineError, TilelabError
    from tilelab.tensix import (
        Breakdown,
        Chip,
        Chips,
        FailedRun,
        KernelFile,
        KernelResult,
        Program,
        StopReason,
        Tile,
        WouldWaitError,
        assemble,
        breakdown,
        build,
        disassemble,
        expand,
        explain_matmul,
        matmul_errors,
        read_kernel_file,
        run_kernel,
        run_kernels,
    )
    from tilelab.trace.lines import LineTimes, line_times
    from tilelab.trace.recording import Recording

PLACES = {
    **dict.fromkeys(
        ("BadInputError", "DeadlockError", "MachineError", "TilelabError"), "tilelab.sim.errors"
    ),
    **dict.fromkeys(("LineTimes", "line_times"), "tilelab.trace.lines"),
    "Recording": "tilelab.trace.recording",
    "tune": "tilelab.score.tune",
}
"""Where names are that ``tilelab.tensix`` does not have."""
__all__ = [
    "BadInputError",
    "Breakdown",
    "Chip",
    "Chips",
    "DeadlockError",
    "FailedRun",
    "KernelFile",
    "KernelResult",
    "LineTimes",
    "MachineError",
    "Program",
    "Recording",
    "StopReason",
    "Tile",
    "TilelabError",
    "WouldWaitError",
    "__version__",
    "assemble",
    "breakdown",
    "build",
    "disassemble",
    "examples",
    "expand",
    "explain_matmul",
    "line_times",
    "matmul_errors",
    "read_kernel_file",
    "run_kernel",
    "run_kernels",
    "score",
    "tune",
]
__version__ = "0.1.0"
moved.install()


def __getattr__(name: str) -> Any:
    """A name, imported when it is named: until the command line begins, imports are few."""
    if name in ("build", "score"):  # packages, which can be called
        return import_module(f"tilelab.{name}")
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(PLACES.get(name, "tilelab.tensix")), name)


def __dir__() -> list[str]:
    return __all__


def examples() -> "dict[str, Path]":
    """The folder of each example kernel, by name, as ``tilelab examples`` lists them.

    As :func:`tilelab.kernels.examples.examples`, which is imported when it is called: until the
    command line has been imported an interrupt would end it with a traceback.
    """
    from tilelab.kernels.examples import examples as find  # noqa: PLC0415

    return find()
