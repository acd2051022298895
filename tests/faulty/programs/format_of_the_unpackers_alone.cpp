// check src-other-format
// stands for tt-llk#736: of another format the unpackers were told, and the matrix unit was not
// arch wormhole
// formats c_1=fp32
// build fp32_dest_acc_en = true
#include <tilelab/compute_kernel.h>
#include <tilelab/reconfigure.h>

namespace NAMESPACE {
void MAIN {
    constexpr auto cb_a = tt::CBIndex::c_0, cb_b = tt::CBIndex::c_1, cb_out = tt::CBIndex::c_16;
    add_tiles_init(cb_a, cb_a, cb_out);
    for (uint32_t i = 0; i < num_tiles; ++i) {
        tile_regs_acquire();
        cb_wait_front(cb_a, 1);
        add_tiles(cb_a, cb_a, 0, 0, 0);
-         UNPACK((tilelab::unpack_format_a(cb_b)));
-         UNPACK((tilelab::unpack_format_b(cb_b)));
+         reconfig_data_format(cb_b, cb_b);
        cb_wait_front(cb_b, 1);
        add_tiles(cb_b, cb_b, 0, 0, 1);  // this
        reconfig_data_format(cb_a, cb_a);
        cb_pop_front(cb_a, 1);
        cb_pop_front(cb_b, 1);
        tile_regs_commit();
        tile_regs_wait();
        cb_reserve_back(cb_out, 1);
        pack_tile(0, cb_out);
        cb_push_back(cb_out, 1);
        tile_regs_release();
    }
}
}  // namespace NAMESPACE
