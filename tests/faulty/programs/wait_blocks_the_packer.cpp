// check race-dst
// stands for tt-llk PR#1231: the unpacker's wait for Dst does not stall the unpacker
// tiles 4
// build fp32_dest_acc_en = true
// formats c_0=int32 c_1=int32 c_16=int32
#include <tilelab/compute_kernel.h>

namespace NAMESPACE {
void MAIN {
    constexpr auto cb_in = tt::CBIndex::c_0, cb_b = tt::CBIndex::c_1, cb_out = tt::CBIndex::c_16;
    copy_tile_init(cb_in, cb_out);
    for (uint32_t i = 0; i < num_tiles; ++i) {
        tile_regs_acquire();
        cb_wait_front(cb_in, 1);
#ifdef TRISC_UNPACK
        const uint32_t row = tilelab::unpack_half * tilelab::DST_HALF_ROWS + tilelab::DST_FIRST_ROW;
        tilelab::unpack_a_from(tilelab::tile_address(cb_in, 0));
-         TTI_SEMWAIT(p_stall::STALL_PACK, semaphore::t6_sem(semaphore::UNPACK_TO_DEST), p_stall::STALL_ON_ZERO);
+         TTI_SEMWAIT(p_stall::STALL_UNPACK | p_stall::STALL_CFG | p_stall::STALL_SYNC, semaphore::t6_sem(semaphore::UNPACK_TO_DEST), p_stall::STALL_ON_ZERO);
        cfg_write<cfg::THCON_SEC0_REG5_Dest_cntx0_address>(row * 16);
        TTI_SETDMAREG(0, 0, 0, 80);
        tilelab::issue_in_stream<tilelab::UNPACK_TILE_TO_DST>();  // this
        TTI_STALLWAIT(p_stall::STALL_SYNC, p_stall::UNPACK0);
        TTI_SEMGET(semaphore::t6_sem(semaphore::UNPACK_TO_DEST));
#else
        copy_tile(cb_in, 0, 0);
#endif
        cb_pop_front(cb_in, 1);
        tile_regs_commit();
        tile_regs_wait();
        cb_reserve_back(cb_out, 1);
        pack_tile(0, cb_out);  // other
        cb_push_back(cb_out, 1);
        tile_regs_release();
    }
}
}  // namespace NAMESPACE
