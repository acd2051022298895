// check llk-init-missing
// stands for tt-metal#56807: the packer stays set up for untilizing when whole tiles are packed next.
// arch wormhole
#include <tilelab/compute_kernel.h>

namespace NAMESPACE {
void MAIN {
    constexpr auto cb_a = tt::CBIndex::c_0, cb_b = tt::CBIndex::c_1;
    constexpr auto cb_out = tt::CBIndex::c_16, cb_rows = tt::CBIndex::c_17;
    untilize_init(cb_a, cb_rows);  // other
    cb_wait_front(cb_a, num_tiles);
    cb_reserve_back(cb_rows, num_tiles);
    untilize_block(cb_a, num_tiles, cb_rows);
    cb_push_back(cb_rows, num_tiles);
    cb_pop_front(cb_a, num_tiles);
+     pack_untilize_uninit(cb_out);

    copy_tile_init(cb_b);
    for (uint32_t i = 0; i < num_tiles; ++i) {
        tile_regs_acquire();
        cb_wait_front(cb_b, 1);
        copy_tile(cb_b, 0, 0);
        cb_pop_front(cb_b, 1);
        tile_regs_commit();
        tile_regs_wait();
        cb_reserve_back(cb_out, 1);
        pack_tile(0, cb_out);  // this
        cb_push_back(cb_out, 1);
        tile_regs_release();
    }
}
}  // namespace NAMESPACE
