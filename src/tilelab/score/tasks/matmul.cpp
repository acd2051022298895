#include <tilelab/compute_kernel.h>

// Both matrices are two tiles by two: all of them stay in their buffers until the end.
namespace NAMESPACE {
void MAIN {
    cb_wait_front(tt::CBIndex::c_0, num_tiles);
    cb_wait_front(tt::CBIndex::c_1, num_tiles);
    mm_init(tt::CBIndex::c_0, tt::CBIndex::c_1, tt::CBIndex::c_16);
    for (uint32_t row = 0; row < 2; ++row) {
        for (uint32_t column = 0; column < 2; ++column) {
            tile_regs_acquire();
            for (uint32_t k = 0; k < 2; ++k) {
                matmul_tiles(tt::CBIndex::c_0, tt::CBIndex::c_1, 2 * row + k, 2 * k + column, 0);
            }
            tile_regs_commit();

            tile_regs_wait();
            cb_reserve_back(tt::CBIndex::c_16, 1);
            pack_tile(0, tt::CBIndex::c_16);
            cb_push_back(tt::CBIndex::c_16, 1);
            tile_regs_release();
        }
    }
    cb_pop_front(tt::CBIndex::c_0, num_tiles);
    cb_pop_front(tt::CBIndex::c_1, num_tiles);
}
}  // namespace NAMESPACE
