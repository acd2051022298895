"""Kernels from C++ source to ELFs, with what pip installs or with the compiler that a user has.

``compilers`` are the commands, ``kernel`` what is compiled and linked for a tile's cores, ``cache``
what was built before, ``vector`` the vector unit's registers.
"""
