// check constant-taken
// stands for tt-metal#42628: two functions of the vector unit each set the same programmable constant
#include <tilelab/vector.h>

ALWI void weigh_init() { MATH((sfpi::vConstFloatPrgm1 = 0.25f)); }
ALWI void weigh() {
    vector_tile(0, [] {
        sfpi::dst_reg[0] = sfpi::vFloat(sfpi::dst_reg[0]) * sfpi::vConstFloatPrgm1;  // this
    });
}
- ALWI void bias_init() { MATH((sfpi::vConstFloatPrgm1 = 4.0f)); }  // other
+ ALWI void bias_init() { MATH((sfpi::vConstFloatPrgm2 = 4.0f)); }
ALWI void bias() {
    vector_tile(0, [] {
-         sfpi::dst_reg[0] = sfpi::vFloat(sfpi::dst_reg[0]) + sfpi::vConstFloatPrgm1;
+         sfpi::dst_reg[0] = sfpi::vFloat(sfpi::dst_reg[0]) + sfpi::vConstFloatPrgm2;
    });
}

namespace NAMESPACE {
void MAIN {
    constexpr auto cb_in = tt::CBIndex::c_0, cb_out = tt::CBIndex::c_16;
    copy_tile_init(cb_in, cb_out);
    weigh_init();
    bias_init();
    for (uint32_t i = 0; i < num_tiles; ++i) {
        tile_regs_acquire();
        cb_wait_front(cb_in, 1);
        copy_tile(cb_in, 0, 0);
        cb_pop_front(cb_in, 1);
        weigh();
        bias();
        tile_regs_commit();
        tile_regs_wait();
        cb_reserve_back(cb_out, 1);
        pack_tile(0, cb_out);
        cb_push_back(cb_out, 1);
        tile_regs_release();
    }
}
}  // namespace NAMESPACE
