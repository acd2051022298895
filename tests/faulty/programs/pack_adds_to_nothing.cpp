// check uninit-l1
// stands for tt-llk#1384: the packer adds to what is in L1, and nothing is
// tiles 2
#include <tilelab/compute_kernel.h>

namespace NAMESPACE {
void MAIN {
    constexpr auto cb_a = tt::CBIndex::c_0, cb_out = tt::CBIndex::c_16;
    copy_tile_init(cb_a, cb_out);
#ifdef TRISC_PACK
    TTI_STALLWAIT(p_stall::STALL_CFG, p_stall::PACK);
-     cfg_write<cfg::THCON_SEC0_REG1_Pack_L1_Acc>(1);
+     cfg_write<cfg::THCON_SEC0_REG1_Pack_L1_Acc>(0);
#endif
    for (uint32_t i = 0; i < num_tiles; ++i) {
        tile_regs_acquire();
        cb_wait_front(cb_a, 1);
        copy_tile(cb_a, 0, 0);
        cb_pop_front(cb_a, 1);
        tile_regs_commit();
        tile_regs_wait();
        cb_reserve_back(cb_out, 1);
        pack_tile(0, cb_out);  // this
        cb_push_back(cb_out, 1);  // other
        tile_regs_release();
    }
}
}  // namespace NAMESPACE
