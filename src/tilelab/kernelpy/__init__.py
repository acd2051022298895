"""Kernel Python: the language of instruction semantics, and its compiler to machine code.

``tilelab.sim.kernel`` says what the language is. Here a kernel is taken apart (``known``,
``access``, ``expressions``, ``statements``), compiled for one layout of state (``module``), and its
machine code kept (``build``). Nothing here knows a machine.
"""
