// check deadlock
// also uninit-l1
// stands for tt-metal#21373: unpack brings five faces of a tile, math takes four
// streams itself
// culprit no math instruction that clears SrcB's dvalid is left to come
#define OWN_COMPUTE
#include "two_sides.h"

#ifdef TILELAB_COMPUTE
namespace NAMESPACE {
void MAIN {
    copy_tile_init(cb_in, cb_out);
#ifdef TRISC_UNPACK
-     ckernel_template(1, 5, tilelab::UNPACK_A_FACE, TT_OP_UNPACR_NOP(SrcB, 0, 0, 1, 0, 0, 0, 0, 1)).program();
#endif
    for (uint32_t i = 0; i < num_tiles; ++i) {
        tile_regs_acquire();
        cb_wait_front(cb_in, 1);
        copy_tile(cb_in, 0, 0);
        cb_pop_front(cb_in, 1);
        tile_regs_commit();
        tile_regs_wait();
        cb_reserve_back(cb_out, 1);
        pack_tile(0, cb_out);
        cb_push_back(cb_out, 1);
        tile_regs_release();
    }
}
}  // namespace NAMESPACE
#endif
