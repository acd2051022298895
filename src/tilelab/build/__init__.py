"""Kernels from C++ source to ELFs, with what pip installs or with the compiler that a user has.

``compilers`` are the commands, ``kernel`` what is compiled and linked for a tile's cores, ``cache``
what was built before, ``vector`` the vector unit's registers.

The package can be called: ``tilelab.build(...)`` is :func:`tilelab.build.call.build`.
"""

import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tilelab.kernels.kernel_toml.file import KernelFile


class _Room(ModuleType):
    def __call__(self, *given: Any, **named: Any) -> "KernelFile":
        from tilelab.build.call import build  # noqa: PLC0415  importing the package stays quick

        return build(*given, **named)


sys.modules[__name__].__class__ = _Room
