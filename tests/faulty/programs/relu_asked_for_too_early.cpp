// check setting-undone
// stands for tt-metal#50711: what prepares the packer for a buffer also sets its ReLU to none
#include <tilelab/compute_kernel.h>
#include <tilelab/reconfigure.h>

namespace NAMESPACE {
void MAIN {
    constexpr auto cb_in = tt::CBIndex::c_0, cb_out = tt::CBIndex::c_16;
    copy_tile_init(cb_in, cb_out);
-     pack_relu_config(ReluConfig::zero());  // this
-     pack_reconfig_data_format(cb_out);  // other
+     pack_reconfig_data_format(cb_out);
+     pack_relu_config(ReluConfig::zero());
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
    pack_relu_config(ReluConfig::none());
}
}  // namespace NAMESPACE
