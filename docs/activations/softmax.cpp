// Softmax of each row: e to the power of each number minus the row's largest, divided by their sum.
// c_1 holds a tile with ones in the first row; c_24 to c_26 hold intermediate tiles.

#include "compute_kernel_api.h"
#include "compute_kernel_api/eltwise_unary/eltwise_unary.h"

namespace NAMESPACE {

constexpr auto in = tt::CBIndex::c_0, ones = tt::CBIndex::c_1;
constexpr auto largest = tt::CBIndex::c_24, powers = tt::CBIndex::c_25, inverse = tt::CBIndex::c_26;
constexpr auto out = tt::CBIndex::c_16;

// Tile 0 of Dst to the end of a buffer.
ALWI void pack_into(uint32_t buffer) {
    tile_regs_commit();
    tile_regs_wait();
    cb_reserve_back(buffer, 1);
    pack_tile(0, buffer);
    cb_push_back(buffer, 1);
    tile_regs_release();
}

void MAIN {
    cb_wait_front(ones, 1);
    for (uint32_t row = 0; row < rows; ++row) {
        cb_wait_front(in, columns);

        reduce_init<PoolType::MAX, ReduceDim::REDUCE_ROW>(in, ones, largest);
        tile_regs_acquire();
        for (uint32_t i = 0; i < columns; ++i)
            reduce_tile<PoolType::MAX, ReduceDim::REDUCE_ROW>(in, ones, i, 0, 0);
        pack_into(largest);

        init_bcast<EltwiseBinaryType::ELWSUB, BroadcastType::COL>(in, largest, powers);
        cb_wait_front(largest, 1);
        for (uint32_t i = 0; i < columns; ++i) {
            tile_regs_acquire();
            sub_tiles_bcast_cols(in, largest, i, 0, 0);
            exp_tile(0);
            pack_into(powers);
        }
        cb_pop_front(largest, 1);
        cb_pop_front(in, columns);

        reduce_init<PoolType::SUM, ReduceDim::REDUCE_ROW>(powers, ones, inverse);
        cb_wait_front(powers, columns);
        tile_regs_acquire();
        for (uint32_t i = 0; i < columns; ++i)
            reduce_tile<PoolType::SUM, ReduceDim::REDUCE_ROW>(powers, ones, i, 0, 0);
        recip_tile(0);
        pack_into(inverse);

        init_bcast<EltwiseBinaryType::ELWMUL, BroadcastType::COL>(powers, inverse, out);
        cb_wait_front(inverse, 1);
        for (uint32_t i = 0; i < columns; ++i) {
            tile_regs_acquire();
            mul_tiles_bcast_cols(powers, inverse, i, 0, 0);
            pack_into(out);
        }
        cb_pop_front(inverse, 1);
        cb_pop_front(powers, columns);
    }
}

}  // namespace NAMESPACE
