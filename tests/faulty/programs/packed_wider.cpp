// check tile-other-format
// stands for tt-metal#51215: the init names another buffer than is packed to, of data twice as wide
// also l1-other-buffer
// formats c_17=fp32
#include <tilelab/compute_kernel.h>

namespace NAMESPACE {
void MAIN {
    constexpr auto cb_in = tt::CBIndex::c_0, cb_out = tt::CBIndex::c_16, cb_more = tt::CBIndex::c_17;
-     copy_tile_init(cb_in, cb_more);
+     copy_tile_init(cb_in, cb_out);
    for (uint32_t i = 0; i < num_tiles; ++i) {
        tile_regs_acquire();
        cb_wait_front(cb_in, 1);
        copy_tile(cb_in, 0, 0);
        cb_pop_front(cb_in, 1);
        tile_regs_commit();
        tile_regs_wait();
        cb_reserve_back(cb_out, 1);
        pack_tile(0, cb_out);  // this
        cb_push_back(cb_out, 1);
        tile_regs_release();
    }
}
}  // namespace NAMESPACE
