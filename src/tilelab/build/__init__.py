"""Kernels from C++ source to ELFs, with what pip installs or with the compiler that a user has.

``compilers`` are the commands, ``kernel`` what is compiled and linked for a tile's cores, ``cache``
what was built before, ``vector`` the vector unit's registers, ``standin`` what is called in the
place of the vendor's compiler, ``vendors`` how kernels are built with the vendor's headers.

The package can be called: ``tilelab.build(...)`` is :func:`tilelab.build.call.build`.
"""

from tilelab.sim.room import make_callable

make_callable(__name__, "tilelab.build.call", "build")
