// check l1-store-overtaken
// stands for tt-metal#50154: a core patches a tile in L1 and has it unpacked at once
// tiles 1
#include <tilelab/compute_kernel.h>

namespace NAMESPACE {
void MAIN {
    constexpr auto cb_out = tt::CBIndex::c_16;
    constexpr auto cb_mid = tt::CBIndex::c_17;
    copy_tile_init(cb_mid, cb_out);
#ifdef TRISC_UNPACK
    const uint32_t first = 16 * (tilelab::tile_address(cb_mid, 0) + 1);
    for (uint32_t at = 0; at < 2048; at += 4) *word_at(first + at) = 0x3F803F80;  // other
+     load_blocking(first + 2044);
#endif
    tile_regs_acquire();
    copy_tile(cb_mid, 0, 0);  // this
    tile_regs_commit();
    tile_regs_wait();
    cb_reserve_back(cb_out, 1);
    pack_tile(0, cb_out);
    cb_push_back(cb_out, 1);
    tile_regs_release();
}
}  // namespace NAMESPACE
