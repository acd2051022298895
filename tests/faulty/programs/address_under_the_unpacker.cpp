// check address-under-unpacker
// policy address-under-unpacker=error
// tiles 2
// stands for tt-metal#49201: the next tile's address is set while the unpacker brings this one
#include <tilelab/compute_kernel.h>

namespace NAMESPACE {
void MAIN {
    constexpr auto cb_in = tt::CBIndex::c_0, cb_out = tt::CBIndex::c_16;
    copy_tile_init(cb_in, cb_out);
    tile_regs_acquire();
    cb_wait_front(cb_in, num_tiles);
    copy_tile(cb_in, 0, 0);  // other
#ifdef TRISC_UNPACK
+     TTI_STALLWAIT(p_stall::STALL_CFG, p_stall::UNPACK0);
#endif
    copy_tile(cb_in, 1, 1);  // this
    cb_pop_front(cb_in, num_tiles);
    tile_regs_commit();
    tile_regs_wait();
    cb_reserve_back(cb_out, num_tiles);
    for (uint32_t i = 0; i < num_tiles; ++i) pack_tile(i, cb_out);
    cb_push_back(cb_out, num_tiles);
    tile_regs_release();
}
}  // namespace NAMESPACE
