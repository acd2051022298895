"""The matrix unit (FPU): all its instructions, bound to their rows by importing this module.

Source: tt-isa-documentation, MatrixUnit.md. Each module states its pages and what it does not
model. Wormhole and Blackhole share the text; where rows differ, each has a kernel of its own.
"""

from tilelab.tensix.backend import (
    matrix_unit_counters,
    matrix_unit_elementwise,
    matrix_unit_matmul,
    matrix_unit_moves,
    matrix_unit_pool,
    matrix_unit_shifts,
)

__all__ = [
    "matrix_unit_counters",
    "matrix_unit_elementwise",
    "matrix_unit_matmul",
    "matrix_unit_moves",
    "matrix_unit_pool",
    "matrix_unit_shifts",
]
