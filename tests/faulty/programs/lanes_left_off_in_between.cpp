// check lanes-off
// stands for tt-metal#13161: lanes that one function's condition has switched off are off in the next one
#include <tilelab/vector.h>

namespace NAMESPACE {
inline void clear_below_zero() {
#ifdef TRISC_MATH
    TTI_SFPENCC(3, 0, 0, 10);
    TTI_SFPLOAD(p_sfpu::LREG1, 0, ADDR_MOD_7, 0);
    TTI_SFPSETCC(0, p_sfpu::LREG1, 0, 0);  // other
    TTI_SFPMOV(0, p_sfpu::LCONST_0, p_sfpu::LREG1, 0);
    TTI_SFPSTORE(p_sfpu::LREG1, 0, ADDR_MOD_7, 0);
+     TTI_SFPENCC(3, 0, 0, 10);
#endif
}
inline void double_vector() {
#ifdef TRISC_MATH
    TTI_SFPLOAD(p_sfpu::LREG2, 0, ADDR_MOD_7, 0);  // this
    TTI_SFPADD(p_sfpu::LCONST_1, p_sfpu::LREG2, p_sfpu::LREG2, p_sfpu::LREG2, 0);
    TTI_SFPSTORE(p_sfpu::LREG2, 0, ADDR_MOD_7, 0);
    TTI_SFPENCC(3, 0, 0, 10);
#endif
}

void MAIN {
    constexpr auto cb_in = tt::CBIndex::c_0, cb_out = tt::CBIndex::c_16;
    copy_tile_init(cb_in, cb_out);
    for (uint32_t i = 0; i < num_tiles; ++i) {
        tile_regs_acquire();
        cb_wait_front(cb_in, 1);
        copy_tile(cb_in, 0, 0);
        cb_pop_front(cb_in, 1);
        vector_tile(0, [] {
            clear_below_zero();
            double_vector();
        });
        tile_regs_commit();
        tile_regs_wait();
        cb_reserve_back(cb_out, 1);
        pack_tile(0, cb_out);
        cb_push_back(cb_out, 1);
        tile_regs_release();
    }
}
}  // namespace NAMESPACE
