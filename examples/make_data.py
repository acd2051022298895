"""Makes the arrays of the examples: python make_data.py

Inputs are normal random numbers rounded to bfloat16; what is expected is NumPy's result in float32.
Those of matmul_block are −1, 0 and 1, which its formats hold, and bfloat16 the products' sums.
"""

from pathlib import Path

import ml_dtypes
import numpy as np

HERE = Path(__file__).parent


def bf16(shape: tuple[int, int], seed: int) -> np.ndarray:
    """Random numbers that bfloat16 holds exactly, as float32."""
    numbers = np.random.default_rng(seed).standard_normal(shape)
    return numbers.astype(ml_dtypes.bfloat16).astype(np.float32)


def save(folder: str, **arrays: np.ndarray) -> None:
    """Save each array as folder/name.npy."""
    for name, array in arrays.items():
        np.save(HERE / folder / f"{name}.npy", array)


def signs(shape: tuple[int, int], seed: int) -> np.ndarray:
    """−1, 0 and 1, as bytes."""
    return np.random.default_rng(seed).integers(-1, 2, shape, np.int8)


a, b = bf16((64, 96), 1), bf16((96, 64), 2)
save("matmul", a=a, b=b, c=a @ b)
a, b = bf16((64, 96), 3), bf16((64, 96), 4)
save("eltwise_add", a=a, b=b, c=a + b)
save("datacopy", a=bf16((64, 64), 5))
a, b = signs((256, 256), 6), signs((256, 512), 7)
save("matmul_block", a=a, b=b, c=a.astype(np.int16) @ b)
