"""One matrix product as tt-metal's ``test_matmul_2d_host_perf`` configures it, twice.

Arguments: M K N, their type, fidelity, columns and rows of the grid; then 1 if the first operand
and the result lie in L1, how often a block's inner dimension and the result's rows and columns are
divided, and the rows and columns of a subblock.
"""

import sys

import numpy as np
import ttnn

m, k, n = map(int, sys.argv[1:4])
dtype = getattr(ttnn, sys.argv[4])
fidelity = getattr(ttnn.MathFidelity, sys.argv[5])
columns, rows, in_l1, inner, down, across, high, wide = map(int, sys.argv[6:14])

device = ttnn.open_device(device_id=0)


def put(values: np.ndarray, where: ttnn.MemoryConfig) -> ttnn.Tensor:
    """A tensor of tiles on the device."""
    made = ttnn.Tensor(values, dtype, device, ttnn.TILE_LAYOUT, ttnn.DRAM_MEMORY_CONFIG)
    return made if where == ttnn.DRAM_MEMORY_CONFIG else ttnn.to_memory_config(made, where)


sharded = ttnn.create_sharded_memory_config(
    (1, 1, m, k),
    core_grid=ttnn.CoreGrid(y=rows, x=columns),
    strategy=ttnn.ShardStrategy.BLOCK,
    orientation=ttnn.ShardOrientation.ROW_MAJOR,
)
left = put(np.ones((1, 1, m, k), np.float32), sharded if in_l1 else ttnn.DRAM_MEMORY_CONFIG)
numbers = np.random.default_rng(0).standard_normal((1, 1, k, n)).astype(np.float32)
right = put(numbers, ttnn.DRAM_MEMORY_CONFIG)
per_core = m // rows // 32, n // columns // 32
program = ttnn.MatmulMultiCoreReuseMultiCastProgramConfig(
    compute_with_storage_grid_size=(columns, rows),
    in0_block_w=k // columns // 32 // inner,
    out_subblock_h=high,
    out_subblock_w=wide,
    out_block_h=per_core[0] // down,
    out_block_w=per_core[1] // across,
    per_core_M=per_core[0],
    per_core_N=per_core[1],
    transpose_mcast=False,
    fused_activation=None,
)
compute = ttnn.WormholeComputeKernelConfig(
    math_fidelity=fidelity, math_approx_mode=True, fp32_dest_acc_en=False, packer_l1_acc=True
)
blocks = ttnn.MemoryConfig(
    memory_layout=ttnn.TensorMemoryLayout.BLOCK_SHARDED, buffer_type=ttnn.BufferType.L1
)
for _ in range(2):  # the first one also loads the kernels
    ttnn.matmul(
        left,
        right,
        program_config=program,
        memory_config=blocks if in_l1 else ttnn.DRAM_MEMORY_CONFIG,
        dtype=dtype,
        compute_kernel_config=compute,
    )
    ttnn.synchronize_device(device)
ttnn.close_device(device)
