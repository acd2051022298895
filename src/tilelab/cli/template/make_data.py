"""Makes the inputs and what is expected of the kernel: python make_data.py"""

from pathlib import Path

import ml_dtypes
import numpy as np

HERE = Path(__file__).parent


def bf16(seed: int) -> np.ndarray:
    """Random numbers that bfloat16 holds exactly."""
    numbers = np.random.default_rng(seed).standard_normal((64, 64))
    return numbers.astype(ml_dtypes.bfloat16).astype(np.float32)


a, b = bf16(1), bf16(2)
for name, array in {"a": a, "b": b, "c": a + b}.items():
    np.save(HERE / f"{name}.npy", array)
