// check race-dst
// stands for tt-metal#55184: half of Dst cleared while the packer may still read it
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
        pack_tile(0, cb_out);  // other
#ifdef TRISC_PACK
+         TTI_STALLWAIT(p_stall::STALL_MATH, p_stall::PACK);
        tilelab::clear_dst(tilelab::pack_half);  // this
#endif
        cb_push_back(cb_out, 1);
        tile_regs_release();
    }
}
}  // namespace NAMESPACE
