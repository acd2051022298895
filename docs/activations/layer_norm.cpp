// Layer norm of each row: each number minus the row's mean, divided by the root of the row's variance.
// The first row of c_1 holds 1 / (numbers of a row), so that a sum times it is a mean.

#include "compute_kernel_api.h"
#include "compute_kernel_api/eltwise_unary/eltwise_unary.h"

namespace NAMESPACE {

constexpr auto in = tt::CBIndex::c_0, nth = tt::CBIndex::c_1;  // nth: 1 / numbers of a row
constexpr auto mean = tt::CBIndex::c_24, centred = tt::CBIndex::c_25, squares = tt::CBIndex::c_26;
constexpr auto inverse = tt::CBIndex::c_27, out = tt::CBIndex::c_16;

ALWI void pack_into(uint32_t buffer) {
    tile_regs_commit();
    tile_regs_wait();
    cb_reserve_back(buffer, 1);
    pack_tile(0, buffer);
    cb_push_back(buffer, 1);
    tile_regs_release();
}

// The mean of each row of the first `columns` tiles of a buffer.
ALWI void mean_of_rows(uint32_t buffer, uint32_t to) {
    reduce_init<PoolType::AVG, ReduceDim::REDUCE_ROW>(buffer, nth, to);
    cb_wait_front(buffer, columns);
    tile_regs_acquire();
    for (uint32_t i = 0; i < columns; ++i)
        reduce_tile<PoolType::AVG, ReduceDim::REDUCE_ROW>(buffer, nth, i, 0, 0);
}

void MAIN {
    cb_wait_front(nth, 1);
    for (uint32_t row = 0; row < rows; ++row) {
        mean_of_rows(in, mean);
        pack_into(mean);

        init_bcast<EltwiseBinaryType::ELWSUB, BroadcastType::COL>(in, mean, centred);
        cb_wait_front(mean, 1);
        for (uint32_t i = 0; i < columns; ++i) {
            tile_regs_acquire();
            sub_tiles_bcast_cols(in, mean, i, 0, 0);
            pack_into(centred);
        }
        cb_pop_front(mean, 1);
        cb_pop_front(in, columns);

        mul_tiles_init(centred, centred, squares);
        cb_wait_front(centred, columns);
        for (uint32_t i = 0; i < columns; ++i) {
            tile_regs_acquire();
            mul_tiles(centred, centred, i, i, 0);
            pack_into(squares);
        }

        mean_of_rows(squares, inverse);
        rsqrt_tile(0);
        pack_into(inverse);
        cb_pop_front(squares, columns);

        init_bcast<EltwiseBinaryType::ELWMUL, BroadcastType::COL>(centred, inverse, out);
        cb_wait_front(inverse, 1);
        for (uint32_t i = 0; i < columns; ++i) {
            tile_regs_acquire();
            mul_tiles_bcast_cols(centred, inverse, i, 0, 0);
            pack_into(out);
        }
        cb_pop_front(inverse, 1);
        cb_pop_front(centred, columns);
    }
}

}  // namespace NAMESPACE
