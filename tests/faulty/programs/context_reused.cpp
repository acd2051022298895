// check race-config
// also config-not-ready
// stands for tt-metal#55184: the core may be two contexts ahead, and uses one
#include <tilelab/compute_kernel.h>

namespace NAMESPACE {
void MAIN {
    constexpr auto cb_in = tt::CBIndex::c_0, cb_out = tt::CBIndex::c_16;
#ifdef TRISC_PACK
    for (uint32_t n = 0; n < 88; ++n) asm volatile("nop");  // the packer is ready last
#endif
    copy_tile_init(cb_in, cb_out);
#ifdef TRISC_UNPACK
    TTI_SEMINIT(2, 0, semaphore::t6_sem(semaphore::UNPACK_SYNC));
    tensix_sync();
#endif
    for (uint32_t i = 0; i < num_tiles; ++i) {
        tile_regs_acquire();
        cb_wait_front(cb_in, 1);
#ifdef TRISC_UNPACK
        for (uint32_t n = 0; n < 40; ++n) asm volatile("nop");  // its work between two tiles
-         while (semaphore_read(semaphore::UNPACK_SYNC) >= 2) continue;
+         while (semaphore_read(semaphore::UNPACK_SYNC) >= 1) continue;
        config_word(cfg::THCON_SEC0_REG3_Base_address.word) = tilelab::tile_address(cb_in, 0);  // this
        semaphore_post(semaphore::UNPACK_SYNC);
        TTI_STALLWAIT(p_stall::STALL_UNPACK, p_stall::TRISC_CFG);
        ckernel_template::run();  // other
        TTI_SEMGET(semaphore::t6_sem(semaphore::UNPACK_SYNC));
        tilelab::first_face_again();
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
