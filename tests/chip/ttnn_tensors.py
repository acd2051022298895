"""What the programs beside this file share, which a Python with ttnn runs: tensors to and fro."""

import sys

import ml_dtypes
import numpy as np
import ttnn

FORMATS = {"bf16": ttnn.bfloat16, "fp32": ttnn.float32, "bfp8": ttnn.bfloat8_b}
small = 16384 if any(case.startswith("upsample") for case in sys.argv) else 0
device = ttnn.open_device(device_id=0, l1_small_size=small)


def numbers(shape: tuple[int, int], seed: int, scale: float = 1.0) -> np.ndarray:
    """Normally distributed numbers that are bf16."""
    made = np.random.default_rng(seed).standard_normal(shape) * scale
    return made.astype(ml_dtypes.bfloat16).astype(np.float32)


def put(x: np.ndarray, kind: str, layout: ttnn.Layout = ttnn.TILE_LAYOUT) -> ttnn.Tensor:
    """A tensor in DRAM."""
    return ttnn.Tensor(x, FORMATS[kind], device, layout, ttnn.DRAM_MEMORY_CONFIG)


def back(tensor: ttnn.Tensor) -> np.ndarray:
    """A tensor's numbers; floats as float32."""
    rows = tensor.cpu().to(ttnn.ROW_MAJOR_LAYOUT)
    if rows.dtype in (ttnn.bfloat16, ttnn.bfloat8_b):
        rows = ttnn.to_dtype(rows, ttnn.float32)
    return np.ascontiguousarray(rows.to_numpy())
