// check noc-write-unflushed
// stands for tt-metal#40879: what a kernel has asked of the NoC is still in flight
// build writer = "kernel.cpp"
// streams itself
#ifdef COMPILE_FOR_BRISC
#include <tilelab/data_movement.h>

void kernel_main() {
    constexpr uint32_t from = 0x90000, to = 0x90100, bytes = 64;
    for (uint32_t at = 0; at < bytes; at += 4) *word_at(from + at) = at;
    noc_async_write(from, get_noc_addr(to), bytes);  // other
+     noc_async_write_barrier();
    *word_at(from + 4) = 1;  // this
}
#else
#include <tilelab/compute_kernel.h>

namespace NAMESPACE {
void MAIN {
    constexpr auto cb_a = tt::CBIndex::c_0, cb_b = tt::CBIndex::c_1, cb_out = tt::CBIndex::c_16;
    add_tiles_init(cb_a, cb_b, cb_out);
    for (uint32_t i = 0; i < num_tiles; ++i) {
        tile_regs_acquire();
        cb_wait_front(cb_a, 1);
        cb_wait_front(cb_b, 1);
        add_tiles(cb_a, cb_b, 0, 0, 0);
        cb_pop_front(cb_a, 1);
        cb_pop_front(cb_b, 1);
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
