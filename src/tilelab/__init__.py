"""tilelab: a lab bench for tile processors."""

from tilelab.example_kernels import examples

__all__ = ["__version__", "examples"]
__version__ = "0.1.0"
