// check race-l1
// policy wait-forgotten=off
// stands for STALLWAIT.md (Wormhole: C3 to C6 are four packers; as tt-llk#97): the wait before a post named the first packer, and three more write the tile
// arch wormhole
#include <tilelab/compute_kernel.h>

// (a + b) squared, by way of one tile in L1; semaphore 3 says that it is there.
constexpr uint32_t place = 0x78000, STORED = semaphore::t6_sem(3);

namespace NAMESPACE {
void MAIN {
    constexpr auto cb_a = tt::CBIndex::c_0, cb_b = tt::CBIndex::c_1, cb_out = tt::CBIndex::c_16;
    add_tiles_init(cb_a, cb_b, cb_out);
    PACK(TTI_SEMINIT(1, 0, STORED));
    for (uint32_t i = 0; i < num_tiles; ++i) {
        add_tiles_init(cb_a, cb_b);
        tile_regs_acquire();
        cb_wait_front(cb_a, 1);
        cb_wait_front(cb_b, 1);
        add_tiles(cb_a, cb_b, 0, 0, 0);
        cb_pop_front(cb_a, 1);
        cb_pop_front(cb_b, 1);
        tile_regs_commit();
        tile_regs_wait();
#ifdef TRISC_PACK
        TTI_SEMWAIT(p_stall::STALL_PACK | p_stall::STALL_SYNC, STORED, p_stall::STALL_ON_MAX);
        tilelab::pack_tile_to(0, tilelab::unit(place));  // other
-         TTI_STALLWAIT(p_stall::STALL_SYNC, p_stall::PACK0);
+         TTI_STALLWAIT(p_stall::STALL_SYNC, p_stall::PACK);
        TTI_SEMPOST(STORED);
#endif
        tile_regs_release();

        mul_tiles_init(cb_a, cb_b);
        tile_regs_acquire();
#ifdef TRISC_UNPACK
        tilelab::unpack_both_from(tilelab::unit(place), tilelab::unit(place));
        TTI_SEMWAIT(p_stall::STALL_UNPACK | p_stall::STALL_SYNC, STORED, p_stall::STALL_ON_ZERO);
        ckernel_template::run();  // this
        tilelab::first_face_again();
        TTI_STALLWAIT(p_stall::STALL_SYNC, p_stall::UNPACK);
        TTI_SEMGET(STORED);
#endif
        MATH((llk_math_clear_tile(0)));
        MATH((llk_math_run_faces(0)));
        tile_regs_commit();
        tile_regs_wait();
        cb_reserve_back(cb_out, 1);
        pack_tile(0, cb_out);
        cb_push_back(cb_out, 1);
        tile_regs_release();
    }
}
}  // namespace NAMESPACE
