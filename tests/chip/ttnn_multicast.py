"""An own kernel on several tiles: one reads a page and sends it to all, semaphores both ways."""

import numpy as np
import ttnn

KERNEL = r"""
#include "api/dataflow/dataflow_api.h"
void kernel_main() {
    constexpr auto from_args = TensorAccessorArgs<0>();
    constexpr auto to_args = TensorAccessorArgs<from_args.next_compile_time_args_offset()>();
    const auto from = TensorAccessor(from_args, get_arg_val<uint32_t>(0), 2048);
    const auto to = TensorAccessor(to_args, get_arg_val<uint32_t>(1), 2048);
    const uint32_t me = get_arg_val<uint32_t>(2), all = get_arg_val<uint32_t>(3);
    const uint32_t x0 = get_arg_val<uint32_t>(4), y0 = get_arg_val<uint32_t>(5);
    const uint32_t x1 = get_arg_val<uint32_t>(6), y1 = get_arg_val<uint32_t>(7);
    const uint32_t at = get_write_ptr(0), sent = get_semaphore(0), taken = get_semaphore(1);
    auto* const here = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(sent);
    auto* const there = reinterpret_cast<volatile tt_l1_ptr uint32_t*>(taken);
    if (me == 0) {
        noc_async_read_page(0, from, at);
        noc_async_read_barrier();
        noc_async_write_multicast(at, get_noc_multicast_addr(x0, y0, x1, y1, at), 2048, all - 1);
        *here = 1;
        noc_semaphore_set_multicast(sent, get_noc_multicast_addr(x0, y0, x1, y1, sent), all - 1);
        noc_async_write_barrier();
        noc_semaphore_wait(there, all - 1);
    } else {
        noc_semaphore_wait(here, 1);
        noc_semaphore_inc(get_noc_addr(x0, y0, taken), 1);
        noc_async_atomic_barrier();
    }
    noc_async_write_page(me, to, at);
    noc_async_write_barrier();
}
"""


def multicast(device: ttnn.Device, source: ttnn.Tensor, columns: int, lines: int) -> ttnn.Tensor:
    """One tile of numbers, as often as there are tiles in the rectangle."""
    count = columns * lines
    target = ttnn.Tensor(
        np.zeros((32 * count, 32), np.float32), ttnn.bfloat16, device, ttnn.TILE_LAYOUT,
        ttnn.DRAM_MEMORY_CONFIG,
    )  # fmt: skip
    first, last = ttnn.CoreCoord(0, 0), ttnn.CoreCoord(columns - 1, lines - 1)
    cores = ttnn.CoreRangeSet([ttnn.CoreRange(first, last)])
    ends = [device.worker_core_from_logical_core(corner) for corner in (first, last)]
    places = [number for corner in ends for number in (corner.x, corner.y)]
    accessors = [ttnn.TensorAccessorArgs(x).get_compile_time_args() for x in (source, target)]
    buffers = [source.buffer_address(), target.buffer_address()]
    arguments = [
        (ttnn.CoreCoord(i % columns, i // columns), [*buffers, i, count, *places])
        for i in range(count)
    ]
    kernel = ttnn.KernelDescriptor(
        kernel_source=KERNEL, source_type=ttnn.KernelDescriptor.SourceType.SOURCE_CODE,
        core_ranges=cores, compile_time_args=[n for each in accessors for n in each],
        runtime_args=arguments, config=ttnn.DataMovementConfigDescriptor(),
    )  # fmt: skip
    page = ttnn.CBFormatDescriptor(buffer_index=0, data_format=ttnn.bfloat16, page_size=2048)
    buffer = ttnn.CBDescriptor(total_size=2048, core_ranges=cores, format_descriptors=[page])
    semaphores = [
        ttnn.SemaphoreDescriptor(id=i, core_ranges=cores, initial_value=0) for i in range(2)
    ]
    program = ttnn.ProgramDescriptor(kernels=[kernel], semaphores=semaphores, cbs=[buffer])
    ttnn.generic_op([source, target], program)
    return target
