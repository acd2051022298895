"""The units that execute Tensix instructions; importing this binds every instruction's kernel.

A unit is a file or a room of files. Every file in here is imported, so a new one needs no list.
"""

from importlib import import_module
from pkgutil import walk_packages

from tilelab.tensix.backend.semantics import SEMANTICS

for _module in walk_packages(__path__, f"{__name__}."):
    import_module(_module.name)

__all__ = ["SEMANTICS"]
