"""tilelab: a lab bench for tile processors.

``tilelab.tensix``, ``tilelab.pto`` and ``tilelab.tilext`` are the machines; ``docs/python.md`` says
how to use them. Here are the examples, and the errors that everything raises.
"""

from typing import TYPE_CHECKING, Any

from tilelab import moved

if TYPE_CHECKING:
    from pathlib import Path

    from tilelab.sim.errors import BadInputError, DeadlockError, MachineError, TilelabError

__all__ = [
    "BadInputError",
    "DeadlockError",
    "MachineError",
    "TilelabError",
    "__version__",
    "examples",
]
__version__ = "0.1.0"
moved.install()


def __getattr__(name: str) -> Any:
    """An error, imported when it is named: until the command line begins, imports are few."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from tilelab.sim import errors  # noqa: PLC0415

    return getattr(errors, name)


def examples() -> "dict[str, Path]":
    """The folder of each example kernel, by name, as ``tilelab examples`` lists them.

    As :func:`tilelab.kernels.examples.examples`, which is imported when it is called: until the
    command line has been imported an interrupt would end it with a traceback.
    """
    from tilelab.kernels.examples import examples as find  # noqa: PLC0415

    return find()
