"""A ttnn program that keeps 64 tiles busy: products of 512 x 512 numbers, one after another.

``tilelab ttnn --record busy.bin benchmarks/busy_tiles.py 12`` records what its host does;
with ``--chips 2`` and a second argument ``2``, each of two chips makes the products.
"""

import sys

import numpy as np
import ttnn

times, chips = int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 1
device = ttnn.open_mesh_device(ttnn.MeshShape(1, chips))


def put(seed: int) -> ttnn.Tensor:
    """Normally distributed numbers, in DRAM."""
    made = np.random.default_rng(seed).standard_normal((512, 512)).astype(np.float32)
    return ttnn.Tensor(made, ttnn.bfloat16, device, ttnn.TILE_LAYOUT, ttnn.DRAM_MEMORY_CONFIG)


a, b = put(1), put(2)
for _ in range(times):
    product = ttnn.matmul(a, b)
    ttnn.synchronize_device(device)
print(product.shape)
ttnn.close_mesh_device(device)
