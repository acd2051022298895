#include <tilelab/compute_kernel.h>

// Tiles of a matrix follow each other row by row. This kernel only copies those of a.
namespace NAMESPACE {
void MAIN {
    copy_tile_init(tt::CBIndex::c_0, tt::CBIndex::c_16);
    for (uint32_t i = 0; i < num_tiles; ++i) {
        tile_regs_acquire();
        cb_wait_front(tt::CBIndex::c_0, 1);
        copy_tile(tt::CBIndex::c_0, 0, 0);
        cb_pop_front(tt::CBIndex::c_0, 1);
        tile_regs_commit();

        tile_regs_wait();
        cb_reserve_back(tt::CBIndex::c_16, 1);
        pack_tile(0, tt::CBIndex::c_16);
        cb_push_back(tt::CBIndex::c_16, 1);
        tile_regs_release();
    }
}
}  // namespace NAMESPACE
