// check tile-other-format
// stands for tt-metal#51215: between two buffers of two formats the packer is not reconfigured
// formats c_17=bfp8
#include <tilelab/compute_kernel.h>

namespace NAMESPACE {
void MAIN {
    constexpr auto cb_in = tt::CBIndex::c_0, cb_out = tt::CBIndex::c_16, cb_more = tt::CBIndex::c_17;
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
        cb_reserve_back(cb_more, 1);
+         pack_reconfig_data_format(cb_more);
        pack_tile(0, cb_more);  // this
        cb_push_back(cb_more, 1);
+         pack_reconfig_data_format(cb_out);
        tile_regs_release();
    }
}
}  // namespace NAMESPACE
