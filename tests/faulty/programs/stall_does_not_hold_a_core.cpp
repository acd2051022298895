// check race-config
// stands for tt-llk#1695: a STALLWAIT is to hold a core's store back, and holds words only
// also config-not-ready
// tiles 2
#include <tilelab/compute_kernel.h>

namespace NAMESPACE {
void MAIN {
    constexpr auto cb_a = tt::CBIndex::c_0, cb_out = tt::CBIndex::c_16;
    copy_tile_init(cb_a, cb_out);
    for (uint32_t i = 0; i < num_tiles; ++i) {
        tile_regs_acquire();
        cb_wait_front(cb_a, 1);
        copy_tile(cb_a, 0, 0);
        cb_pop_front(cb_a, 1);
        tile_regs_commit();
        tile_regs_wait();
        cb_reserve_back(cb_out, 1);
        pack_tile(0, cb_out);  // other
#ifdef TRISC_PACK
        TTI_STALLWAIT(p_stall::STALL_PACK, p_stall::PACK);
+         tensix_sync();
        config_word(cfg::PCK_EDGE_OFFSET_SEC0_mask.word) = 0xFFFF - i % 2;  // this
+         TTI_STALLWAIT(p_stall::STALL_PACK, p_stall::TRISC_CFG);
#endif
        cb_push_back(cb_out, 1);
        tile_regs_release();
    }
}
}  // namespace NAMESPACE
