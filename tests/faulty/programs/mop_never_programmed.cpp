// check mop-not-programmed
// stands for tt-llk#1638: the MOP that runs is none that anybody programmed
// tiles 1
#include <tilelab/compute_kernel.h>

namespace NAMESPACE {
void MAIN {
    constexpr auto cb_in = tt::CBIndex::c_0, cb_b = tt::CBIndex::c_1, cb_out = tt::CBIndex::c_16;
#ifdef TRISC_MATH
-     TTI_MOP(1, 0, 0);  // this
+     ckernel_template(1, 1, TT_OP_NOP).program();
+     TTI_MOP(1, 0, 0);
    tensix_sync();
#endif
    copy_tile_init(cb_in, cb_out);
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
