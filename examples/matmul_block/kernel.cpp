#include "compute_kernel_api/matmul.h"

namespace NAMESPACE {
void MAIN {
    constexpr auto cb_a = tt::CBIndex::c_0, cb_b = tt::CBIndex::c_1, cb_out = tt::CBIndex::c_16;
    mm_block_init(cb_a, cb_b, cb_out, 0, columns, rows, 1);

    for (uint32_t block = 0; block < num_blocks; ++block) {
        tile_regs_acquire();
        for (uint32_t k = 0; k < Kt; ++k) {
            cb_wait_front(cb_a, rows);
            cb_wait_front(cb_b, columns);
            matmul_block(cb_a, cb_b, 0, 0, 0, 0, columns, rows, 1);
            cb_pop_front(cb_a, rows);
            cb_pop_front(cb_b, columns);
        }
        tile_regs_commit();

        tile_regs_wait();
        cb_reserve_back(cb_out, rows * columns);
        for (uint32_t tile = 0; tile < rows * columns; ++tile) pack_tile(tile, cb_out);
        cb_push_back(cb_out, rows * columns);
        tile_regs_release();
    }
}
}  // namespace NAMESPACE
