// check wrcfg-needs-nop
// stands for tt-llk PR#97: the packer begins right behind the WRCFG of its address
// tiles 1
#include <tilelab/compute_kernel.h>

namespace NAMESPACE {
void MAIN {
    constexpr auto cb_in = tt::CBIndex::c_0, cb_b = tt::CBIndex::c_1, cb_out = tt::CBIndex::c_16;
    copy_tile_init(cb_in, cb_out);
    for (uint32_t i = 0; i < num_tiles; ++i) {
        tile_regs_acquire();
        cb_wait_front(cb_in, 1);
        copy_tile(cb_in, 0, 0);
        cb_pop_front(cb_in, 1);
        tile_regs_commit();
        tile_regs_wait();
        cb_reserve_back(cb_out, 1);
#ifdef TRISC_PACK
        TT_SETADC(p_setadc::PAC, p_setadc::CH_0, p_setadc::SET_W, 0);
        gpr_write(GPR_CONFIG, tilelab::tile_address(cb_out, 0));
        TTI_STALLWAIT(p_stall::STALL_CFG, p_stall::THCON | p_stall::PACK);
        TTI_WRCFG(GPR_CONFIG, 0, cfg::THCON_SEC0_REG1_L1_Dest_addr.word);  // other
+         TTI_DMANOP;
+         TTI_DMANOP;
        ckernel_template::run();  // this
        TTI_SETADCZW(p_setadc::PAC, 0, 0, 0, 0, 0b0101);
#endif
        cb_push_back(cb_out, 1);
        tile_regs_release();
    }
}
}  // namespace NAMESPACE
