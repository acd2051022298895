// check llk-state-leaked
// stands for tt-metal#46758: state that one operation leaves to the next
// also dst-never-computed
#include <tilelab/compute_kernel.h>

namespace NAMESPACE {
#ifdef TRISC_PACK
inline void shifted_init() { TTI_RMWCIB0(255, 64, cfg::DEST_TARGET_REG_CFG_PACK_SEC0_Offset.word); }
inline void shifted_uninit() {
+     TTI_RMWCIB0(255, 0, cfg::DEST_TARGET_REG_CFG_PACK_SEC0_Offset.word);
    TTI_RMWCIB0(0, 0, cfg::DEST_TARGET_REG_CFG_PACK_SEC0_Offset.word);
}
#endif
void MAIN {
    constexpr auto cb_a = tt::CBIndex::c_0, cb_b = tt::CBIndex::c_1, cb_out = tt::CBIndex::c_16;
    add_tiles_init(cb_a, cb_b, cb_out);
#ifdef TRISC_PACK
    TTI_RMWCIB0(255, 0, cfg::DEST_TARGET_REG_CFG_PACK_SEC0_Offset.word);
    shifted_init();  // other
    shifted_uninit();
    TTI_STALLWAIT(p_stall::STALL_PACK, p_stall::TRISC_CFG);
#endif
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
        pack_tile(0, cb_out);  // this
        cb_push_back(cb_out, 1);
        tile_regs_release();
    }
}
}  // namespace NAMESPACE
