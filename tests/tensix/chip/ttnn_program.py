"""Run by a Python that has ttnn: adds and multiplies matrices on whatever device there is."""

import json
import sys

import ml_dtypes
import numpy as np
import ttnn

device = ttnn.open_device(device_id=0)
rng = np.random.default_rng(7)
size = int(sys.argv[1])
a, b = (
    rng.standard_normal((size, size)).astype(ml_dtypes.bfloat16).astype(np.float32)
    for _ in range(2)
)
on_device = [
    ttnn.Tensor(x, ttnn.bfloat16, device, ttnn.TILE_LAYOUT, ttnn.DRAM_MEMORY_CONFIG) for x in (a, b)
]


def back(tensor: ttnn.Tensor) -> np.ndarray:
    rows = ttnn.to_dtype(tensor.cpu().to(ttnn.ROW_MAJOR_LAYOUT), ttnn.float32)
    return np.asarray(rows.to_numpy()).astype(np.float32)


errors = {
    "copy": back(on_device[0]) - a,
    "add": back(ttnn.add(*on_device)) - (a + b),
    "matmul": back(ttnn.matmul(*on_device)) - a @ b,
}
ttnn.close_device(device)
print("RESULT", json.dumps({name: float(np.abs(error).max()) for name, error in errors.items()}))
