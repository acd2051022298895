// check race-dst
// stands for tt-metal#55184: math computes a tile in the half that the packer reads
// also dst-never-computed
// tiles 4
#include <tilelab/compute_kernel.h>

namespace NAMESPACE {
void MAIN {
    constexpr auto cb_a = tt::CBIndex::c_0, cb_out = tt::CBIndex::c_16;
    copy_tile_init(cb_a, cb_out);
    for (uint32_t i = 0; i < num_tiles; ++i) {
        tile_regs_acquire();
        cb_wait_front(cb_a, 1);
#ifdef TRISC_MATH
-         TT_SETC16(cfg::DEST_TARGET_REG_CFG_MATH_Offset.word, (tilelab::math_half ^ 1) * 512);
+         TT_SETC16(cfg::DEST_TARGET_REG_CFG_MATH_Offset.word, tilelab::math_half * 512);
        ckernel_template::run();  // this
        TTI_SETRWC(p_setrwc::CLR_NONE, 0, 0, 0, 0, p_setrwc::SET_D);
#else
        copy_tile(cb_a, 0, 0);
#endif
        cb_pop_front(cb_a, 1);
        tile_regs_commit();
        tile_regs_wait();
        cb_reserve_back(cb_out, 1);
        pack_tile(0, cb_out);  // other
        cb_push_back(cb_out, 1);
        tile_regs_release();
    }
}
}  // namespace NAMESPACE
