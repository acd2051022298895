"""Matrix products to register as MMA operations: plain row-major tiles of stated types.

The document has no types, shapes or layouts (questions mmauop, mma-shape); these are what a user
states. Products are summed in the wider of D's type and int32 or float32, k after k, and rounded
to D once.
"""

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from tilelab.sim.errors import BadInputError, ProgramError
from tilelab.tilext.errors import MissingSpecification
from tilelab.tilext.memory import Bytes
from tilelab.tilext.operations import MmaInputs, MmaOperation

_TYPES: dict[str, np.dtype] = {
    **{name: np.dtype(name) for name in ("int8", "uint8", "int16", "int32", "int64")},
    "fp16": np.dtype(np.float16),
    "bf16": np.dtype(ml_dtypes.bfloat16),
    "fp32": np.dtype(np.float32),
    "fp64": np.dtype(np.float64),
}


def dtype_of(name: str) -> np.dtype:
    """Return an element type by its name: int8 to int64, uint8, fp16, bf16, fp32, fp64."""
    if name not in _TYPES:
        raise BadInputError(f"unknown type {name!r}: {', '.join(_TYPES)}")
    return _TYPES[name]


def matrix_product(
    a: np.dtype, b: np.dtype, d: np.dtype, shape: tuple[int, int, int]
) -> MmaOperation:
    """Return D += A B for (m, k) by (k, n) matrices, each row-major from its register's start.

    neg1 and negd negate A and D, as line 247 says. A transposed operand is refused unless its
    elements have 8 bits, the grain that the document names; it then lies as (k, m) or (n, k).
    """
    m, n, k = shape
    if min(shape) < 1:
        raise BadInputError(f"shape {list(shape)} is not m, n, k")
    integer = d.kind in "iu"
    if integer and not (a.kind in "iu" and b.kind in "iu"):
        raise BadInputError(
            f"a product of {a} and {b} does not go into {d}: its fractions would be lost"
        )
    total = np.result_type(d, np.int32 if integer else np.float32)

    def compute(inputs: MmaInputs) -> NDArray[np.generic]:
        left = _matrix(inputs.a, a, (m, k), transposed=inputs.transmata)
        right = _matrix(inputs.b, b, (k, n), transposed=inputs.transmatb)
        out = _matrix(inputs.d, d, (m, n), transposed=False)
        sums = out.astype(total) * (-1 if inputs.negd else 1)
        factor = -1 if inputs.neg1 else 1
        for step in range(k):
            column, row = left[:, step].astype(total), right[step].astype(total)
            sums += factor * column[:, None] * row[None, :]
        result = inputs.d.reshape(-1).copy()
        data = np.ascontiguousarray(sums.astype(d)).view(np.uint8).reshape(-1)
        result[: data.size] = data
        return result

    return MmaOperation(compute)


def _matrix(data: Bytes, kind: np.dtype, shape: tuple[int, int], *, transposed: bool) -> np.ndarray:
    size = shape[0] * shape[1] * kind.itemsize
    flat = data.reshape(-1)
    if size > flat.size:
        raise ProgramError(
            f"{shape[0]} x {shape[1]} of {kind} are {size} B, a register has {flat.size}"
        )
    if transposed and kind.itemsize > 1:
        raise MissingSpecification("mma-shape", f"transposing {kind} at 8-bit granularity")
    matrix = flat[:size].view(kind)
    return matrix.reshape(shape[::-1]).T if transposed else matrix.reshape(shape)
