"""Run by a Python that has ttnn: ``ttnn_program.py OUT.npz CASE…`` keeps every result's bytes."""

import sys
from collections.abc import Callable

import numpy as np
import ttnn
from ttnn_tensors import back, device, numbers, put

COPY = r"""
#include "api/dataflow/dataflow_api.h"
void kernel_main() {
    constexpr auto from_args = TensorAccessorArgs<0>();
    constexpr auto to_args = TensorAccessorArgs<from_args.next_compile_time_args_offset()>();
    const auto from = TensorAccessor(from_args, get_arg_val<uint32_t>(0), 2048);
    const auto to = TensorAccessor(to_args, get_arg_val<uint32_t>(1), 2048);
    const uint32_t at = get_write_ptr(0);
    for (uint32_t page = 0; page < get_arg_val<uint32_t>(2); page++) {
        noc_async_read_page(page, from, at);
        noc_async_read_barrier();
        noc_async_write_page(page, to, at);
        noc_async_write_barrier();
    }
}
"""
out, *cases = sys.argv[1:]


def generic(kind: str, n: int) -> ttnn.Tensor:
    """A data movement kernel of our own."""
    source, target = put(numbers((n, n), 1), kind), put(np.zeros((n, n), np.float32), kind)
    corner = ttnn.CoreCoord(0, 0)
    cores = ttnn.CoreRangeSet([ttnn.CoreRange(corner, corner)])
    accessors = [ttnn.TensorAccessorArgs(x).get_compile_time_args() for x in (source, target)]
    buffer = ttnn.CBFormatDescriptor(buffer_index=0, data_format=ttnn.bfloat16, page_size=2048)
    kernel = ttnn.KernelDescriptor(
        kernel_source=COPY,
        source_type=ttnn.KernelDescriptor.SourceType.SOURCE_CODE,
        core_ranges=cores,
        compile_time_args=[number for accessor in accessors for number in accessor],
        runtime_args=[(corner, [source.buffer_address(), target.buffer_address(), n * n // 1024])],
        config=ttnn.DataMovementConfigDescriptor(),
    )
    circular = ttnn.CBDescriptor(total_size=4096, core_ranges=cores, format_descriptors=[buffer])
    program = ttnn.ProgramDescriptor(kernels=[kernel], semaphores=[], cbs=[circular])
    ttnn.generic_op([source, target], program)
    return target


def two(f: Callable[..., ttnn.Tensor]) -> Callable[[str, int], ttnn.Tensor]:
    return lambda kind, n: f(put(numbers((n, n), 1), kind), put(numbers((n, n), 2), kind))


def one(f: Callable[..., ttnn.Tensor]) -> Callable[[str, int], ttnn.Tensor]:
    return lambda kind, n: f(put(numbers((n, 2 * n), 1), kind))


def upsample(kind: str, n: int) -> ttnn.Tensor:
    """Twice as many rows and columns, in between what lies in between; on one tile."""
    image = put(numbers((n * n, 32), 1).reshape(1, n, n, 32), kind, ttnn.ROW_MAJOR_LAYOUT)
    corner = ttnn.CoreCoord(0, 0)
    cores = ttnn.CoreRangeSet([ttnn.CoreRange(corner, corner)])
    shard = ttnn.ShardSpec(cores, (n * n, 32), ttnn.ShardOrientation.ROW_MAJOR)
    kept = ttnn.MemoryConfig(ttnn.TensorMemoryLayout.HEIGHT_SHARDED, ttnn.BufferType.L1, shard)
    made = ttnn.upsample(ttnn.to_memory_config(image, kept), (2, 2), mode="bilinear")
    return ttnn.to_memory_config(made, ttnn.DRAM_MEMORY_CONFIG)


OPERATIONS = {
    "upsample": upsample,
    "copy": one(lambda x: x),
    "generic": generic,
    "add": two(ttnn.add),
    "sub": two(ttnn.sub),
    "matmul": two(ttnn.matmul),
    "concat": two(lambda a, b: ttnn.concat([a, b], 1)),
    "transpose": one(lambda x: ttnn.transpose(x, 0, 1)),
    "untilize": one(ttnn.untilize),
    "tilize": lambda kind, n: ttnn.tilize(put(numbers((n, 2 * n), 1), kind, ttnn.ROW_MAJOR_LAYOUT)),
}
results = {}
for case in cases:
    name, kind, size = case.split(":")
    for turn in range(2):
        results[f"{case} {turn}"] = back(OPERATIONS[name](kind, int(size)))
ttnn.close_device(device)
np.savez(out, **results)
