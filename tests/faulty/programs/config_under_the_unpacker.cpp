// check config-under-unpacker
// stands for tt-llk#1658: configuration changes while the unpacker still brings the tile before
#include <tilelab/compute_kernel.h>

namespace NAMESPACE {
void MAIN {
    constexpr auto cb_in = tt::CBIndex::c_0, cb_out = tt::CBIndex::c_16;
    copy_tile_init(cb_in, cb_out);
    for (uint32_t i = 0; i < num_tiles; ++i) {
        tile_regs_acquire();
        cb_wait_front(cb_in, 1);
        copy_tile(cb_in, 0, 0);  // other
#ifdef TRISC_UNPACK
+         TTI_STALLWAIT(p_stall::STALL_CFG, p_stall::UNPACK0);
        TTI_RMWCIB0(16, 16, cfg::THCON_SEC0_REG2_Out_data_format.word);  // this
        TTI_STALLWAIT(p_stall::STALL_CFG, p_stall::UNPACK0);
        TTI_RMWCIB0(16, 0, cfg::THCON_SEC0_REG2_Out_data_format.word);
#endif
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
