// check cb-read-unwaited
// stands for tt-metal#51285: a tile is used that nobody has waited for
// also race-l1 uninit-l1
#include <tilelab/compute_kernel.h>

namespace NAMESPACE {
void MAIN {
    constexpr auto cb_in = tt::CBIndex::c_0, cb_mid = tt::CBIndex::c_2, cb_out = tt::CBIndex::c_16;
    copy_tile_init(cb_in, cb_mid);
    for (uint32_t i = 0; i < num_tiles; ++i) {
        tile_regs_acquire();
        cb_wait_front(cb_in, 1);
        copy_tile(cb_in, 0, 0);
        cb_pop_front(cb_in, 1);
        tile_regs_commit();
        tile_regs_wait();
        cb_reserve_back(cb_mid, 1);
        pack_tile(0, cb_mid);
        cb_push_back(cb_mid, 1);  // other
        tile_regs_release();
        tile_regs_acquire();
+         cb_wait_front(cb_mid, 1);
        copy_tile(cb_mid, 0, 0);  // this
-         cb_wait_front(cb_mid, 1);
        cb_pop_front(cb_mid, 1);
        tile_regs_commit();
        tile_regs_wait();
        cb_reserve_back(cb_out, 1);
        pack_tile(0, cb_out);
        cb_push_back(cb_out, 1);
        tile_regs_release();
    }
}
}  // namespace NAMESPACE
