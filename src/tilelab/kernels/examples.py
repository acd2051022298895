"""The kernels that come with tilelab."""

from pathlib import Path

from tilelab.sim.errors import BadInputError

KERNELS = "*/kernel.toml"


def examples_folder() -> Path:
    """Where the examples are: in the installed package, or beside ``src`` in a checkout.

    BadInputError if this installation has none.
    """
    package = Path(__file__).parents[1]
    for folder in (package / "examples", package.parents[1] / "examples"):
        if any(folder.glob(KERNELS)):
            return folder
    raise BadInputError(f"this installation has no examples (looked beside {package})")


def examples() -> dict[str, Path]:
    """The folder of each example kernel, by name, as ``tilelab examples`` lists them.

    ``examples()["matmul"]`` is a folder with ``kernel.toml``, ELFs, inputs and results, for
    :func:`tilelab.kernels.kernel_toml.file.read_kernel_file`. BadInputError if the installation has
    none.
    """
    found = sorted(examples_folder().glob(KERNELS))
    return {path.parent.name: path.parent for path in found}
