#include <tilelab/vector.h>
#include "compute_kernel_api/eltwise_unary/eltwise_unary.h"

namespace NAMESPACE {
void MAIN {
    copy_tile_init(tt::CBIndex::c_0, tt::CBIndex::c_16);
    for (uint32_t i = 0; i < num_tiles; ++i) {
        tile_regs_acquire();
        @COPY@
        vector_tile(0, [] {
            const sfpi::vFloat x = sfpi::dst_reg[0];
            @SECOND@
            sfpi::vFloat r;
            @BODY@
            sfpi::dst_reg[0] = r;
        });
        tile_regs_commit();

        tile_regs_wait();
        cb_reserve_back(tt::CBIndex::c_16, 1);
        pack_tile(0, tt::CBIndex::c_16);
        cb_push_back(tt::CBIndex::c_16, 1);
        tile_regs_release();
    }
}
}  // namespace NAMESPACE
