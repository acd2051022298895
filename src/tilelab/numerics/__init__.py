"""What the matrix unit's arithmetic does to numbers: one element explained, errors measured.

:func:`explain_matmul` shows every slice, product, alignment and rounding behind one element of a
matrix product; :func:`matmul_errors` measures how far whole products are from exact ones.
"""

from tilelab.numerics.errors import Errors, matmul_errors
from tilelab.numerics.explain import Explanation, explain_matmul

__all__ = ["Errors", "Explanation", "explain_matmul", "matmul_errors"]
