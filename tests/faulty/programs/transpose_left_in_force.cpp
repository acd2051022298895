// check llk-init-missing
// also mop-not-programmed deadlock
// stands for tt-metal#13660: the unpacker still transposes when tiles are copied
// tiles 2
#include <tilelab/compute_kernel.h>

namespace NAMESPACE {
void MAIN {
    constexpr auto cb_in = tt::CBIndex::c_0, cb_b = tt::CBIndex::c_1, cb_out = tt::CBIndex::c_16;
    transpose_wh_init(cb_in, cb_out);  // other
    tile_regs_acquire();
    cb_wait_front(cb_in, 1);
    transpose_wh_tile(cb_in, 0, 0);
    cb_pop_front(cb_in, 1);
    tile_regs_commit();
    tile_regs_wait();
    cb_reserve_back(cb_out, 1);
    pack_tile(0, cb_out);
    cb_push_back(cb_out, 1);
    tile_regs_release();
+     copy_tile_init(cb_in, cb_out);
    tile_regs_acquire();
    cb_wait_front(cb_in, 1);
    copy_tile(cb_in, 0, 0);  // this
    cb_pop_front(cb_in, 1);
    tile_regs_commit();
    tile_regs_wait();
    cb_reserve_back(cb_out, 1);
    pack_tile(0, cb_out);
    cb_push_back(cb_out, 1);
    tile_regs_release();
}
}  // namespace NAMESPACE
