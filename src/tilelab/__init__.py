"""tilelab: a lab bench for tile processors.

``tilelab.tensix``, ``tilelab.pto`` and ``tilelab.tilext`` are the machines; ``docs/python.md`` says
how to use them. Here are the examples, and the errors that everything raises.
"""

from tilelab.example_kernels import examples
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
