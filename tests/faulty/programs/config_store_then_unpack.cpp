// check store-overtaken
// stands for tt-metal#14694: an unpacker's address is stored, and used before it is there
#include <tilelab/compute_kernel.h>

namespace NAMESPACE {
void MAIN {
    constexpr auto cb_in = tt::CBIndex::c_0, cb_out = tt::CBIndex::c_16;
    copy_tile_init(cb_in, cb_out);
    for (uint32_t i = 0; i < num_tiles; ++i) {
        tile_regs_acquire();
        cb_wait_front(cb_in, 1);
#ifdef TRISC_UNPACK
        config_word(cfg::THCON_SEC0_REG3_Base_address.word) = tilelab::tile_address(cb_in, 0);  // other
+         TTI_STALLWAIT(p_stall::STALL_UNPACK, p_stall::TRISC_CFG);
        ckernel_template::run();  // this
        tilelab::first_face_again();
        tensix_sync();
#else
        copy_tile(cb_in, 0, 0);
#endif
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
