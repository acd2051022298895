// A reader brings tiles from L1 at `in` to c_0, compute copies them to c_16, a writer takes them to
// `out`; each buffer has room for two. A program that defines OWN_READER, OWN_COMPUTE or OWN_WRITER
// has that part itself; one that defines OWN_SETTING configures something before the first tile, and
// with LATE_PACKER the packer is ready last.
#pragma once

#if !defined(COMPILE_FOR_NCRISC) && !defined(COMPILE_FOR_BRISC)
#define TILELAB_COMPUTE
#include <tilelab/compute_kernel.h>
#else
#include <tilelab/data_movement.h>
#endif

constexpr auto cb_in = tt::CBIndex::c_0, cb_out = tt::CBIndex::c_16;
constexpr uint32_t bytes = 2048;

#if defined(COMPILE_FOR_NCRISC) && !defined(OWN_READER)
void kernel_main() {
    for (uint32_t i = 0; i < num_tiles; ++i) {
        cb_reserve_back(cb_in, 1);
        noc_async_read(get_noc_addr(in + i * bytes), get_write_ptr(cb_in), bytes);
        noc_async_read_barrier();
        cb_push_back(cb_in, 1);
    }
}
#endif

#if defined(TILELAB_COMPUTE) && !defined(OWN_COMPUTE)
namespace NAMESPACE {
#ifdef OWN_SETTING
void set();
#else
inline void set() {}
#endif
void MAIN {
    copy_tile_init(cb_in, cb_out);
    set();
#if defined(LATE_PACKER) && defined(TRISC_PACK)
    for (uint32_t n = 0; n < 70; ++n) asm volatile("nop");
#endif
    for (uint32_t i = 0; i < num_tiles; ++i) {
        tile_regs_acquire();
        cb_wait_front(cb_in, 1);
        copy_tile(cb_in, 0, 0);
        cb_pop_front(cb_in, 1);
        tile_regs_commit();
        tile_regs_wait();
        cb_reserve_back(cb_out, 1);
        pack_tile(0, cb_out);
        cb_push_back(cb_out, 1);
        tile_regs_release();
    }
}
}  // namespace NAMESPACE
#endif

#if defined(COMPILE_FOR_BRISC) && !defined(OWN_WRITER)
void kernel_main() {
    for (uint32_t i = 0; i < num_tiles; ++i) {
        cb_wait_front(cb_out, 1);
        noc_async_write(get_read_ptr(cb_out), get_noc_addr(out + i * bytes), bytes);
        noc_async_write_barrier();
        cb_pop_front(cb_out, 1);
    }
}
#endif
