// check addr-mod-taken
// stands for tt-metal#43582: the modifier that all loads and stores of the vector unit name steps after another function's init
#include <tilelab/vector.h>

namespace NAMESPACE {
#ifdef TRISC_MATH
- constexpr uint32_t NEXT = ADDR_MOD_7;
+ constexpr uint32_t NEXT = ADDR_MOD_6;

inline void negate_init() {
    addr_mod_t{.dest = {.incr = 2}}.set(NEXT);  // other
}
inline void negate_tile() {
    tilelab::vectors_of_tile(0, [] {
        for (int i = 0; i < 32; ++i) {
            TTI_SFPLOAD(p_sfpu::LREG1, 0, ADDR_MOD_5, 0);
            TTI_SFPMOV(0, p_sfpu::LREG1, p_sfpu::LREG1, 1);
            TTI_SFPSTORE(p_sfpu::LREG1, 0, NEXT, 0);
        }
    });
}
#endif

void MAIN {
    constexpr auto cb_in = tt::CBIndex::c_0, cb_out = tt::CBIndex::c_16;
    copy_tile_init(cb_in, cb_out);
    MATH((addr_mod_t{}.set(ADDR_MOD_5)));
    MATH((negate_init()));
    for (uint32_t i = 0; i < num_tiles; ++i) {
        tile_regs_acquire();
        cb_wait_front(cb_in, 1);
        copy_tile(cb_in, 0, 0);
        cb_pop_front(cb_in, 1);
        MATH((negate_tile()));
        vector_tile(0, [] { sfpi::dst_reg[0] = sfpi::vFloat(sfpi::dst_reg[0]) + 1.0f; });  // this
        tile_regs_commit();
        tile_regs_wait();
        cb_reserve_back(cb_out, 1);
        pack_tile(0, cb_out);
        cb_push_back(cb_out, 1);
        tile_regs_release();
    }
}
}  // namespace NAMESPACE
