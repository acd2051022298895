"""Modules that have moved: their old names work for one release, with a warning.

They are looked up before all others: in a package that has two names, everything else would find
the same file a second time.
"""

import sys
import warnings
from collections.abc import Sequence
from importlib import import_module
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from importlib.abc import Loader
else:  # importing that takes longer than all of this
    Loader = object

MOVED = {
    "tilelab.example_kernels": "tilelab.kernels.examples",
    "tilelab.serve": "tilelab.vendor.serve",
    "tilelab.tensix.check": "tilelab.check",
    "tilelab.tensix.chip": "tilelab.chip",
    "tilelab.tensix.chip.library": "tilelab.vendor.library",
    "tilelab.tensix.chip.recording": "tilelab.traffic.recording",
    "tilelab.tensix.ckernel": "tilelab.kernels.ckernel",
    "tilelab.tensix.explore": "tilelab.explore",
    "tilelab.tensix.kernel_toml": "tilelab.kernels.kernel_toml",
    "tilelab.tensix.llk": "tilelab.vendor.llk",
    "tilelab.tensix.numerics": "tilelab.numerics",
    "tilelab.tensix.programs": "tilelab.kernels",
    "tilelab.tensix.report.breakdown": "tilelab.report.breakdown",
    "tilelab.tensix.report.difference": "tilelab.report.difference",
    "tilelab.tensix.throttle": "tilelab.kernels.throttle",
    "tilelab.vendor.standin": "tilelab.build.standin",
}
"""New names of packages and modules, by the old ones."""
STAYS = ("tilelab.tensix.llk", "tilelab.vendor.standin")
"""What suites name in their settings (``-p tilelab.tensix.llk.pytest_plugin``), and scripts that
``tilelab sfpi`` has laid out: no warning."""


def new_name(old: str) -> str | None:
    """What a module is called now; None if it has not moved."""
    if not old.startswith("tilelab."):
        return None
    parts = old.split(".")
    for n in range(len(parts), 1, -1):
        if (new := MOVED.get(".".join(parts[:n]))) is not None:
            return ".".join([new, *parts[n:]])
    return None


class Finder(Loader):
    """Finds a module by the name that it had."""

    def __init__(self) -> None:
        self.specs: dict[str, ModuleSpec | None] = {}

    def find_spec(
        self, name: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """As the import system wants it."""
        return ModuleSpec(name, self) if new_name(name) else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """The module by its new name; DeprecationWarning, unless the old one stays."""
        new = new_name(spec.name) or ""
        if not spec.name.startswith(STAYS):
            warnings.warn(f"{spec.name} is now {new}", DeprecationWarning, stacklevel=2)
        try:
            module = import_module(new)
        except ModuleNotFoundError as error:
            raise ModuleNotFoundError(f"No module named {spec.name!r}", name=spec.name) from error
        self.specs[spec.name] = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Nothing is run again; the module keeps what it says of itself."""
        spec = module.__spec__
        assert spec is not None
        module.__spec__ = self.specs.pop(spec.name)


def install() -> None:
    """Have old names found."""
    sys.meta_path.insert(0, Finder())
