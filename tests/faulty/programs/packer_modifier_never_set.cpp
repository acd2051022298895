// check uninit-addr-mod
// stands for tt-metal#43582: the packer counts by a modifier that nobody has set
// tiles 1
#include <tilelab/compute_kernel.h>

namespace NAMESPACE {
void MAIN {
    constexpr auto cb_in = tt::CBIndex::c_0, cb_b = tt::CBIndex::c_1, cb_out = tt::CBIndex::c_16;
    constexpr uint32_t scratch = 0x90000;
    copy_tile_init(cb_in, cb_out);
#ifdef TRISC_PACK
+     addr_mod_pack_t{.y_src = {.clr = 1}}.set(ADDR_MOD_3);
    ckernel_template(1, 1, tilelab::pack_rows(ADDR_MOD_3, 1)).program();
    tilelab::wait_for_filled_half();
    TT_SETADC(p_setadc::PAC, p_setadc::CH_0, p_setadc::SET_W, 0);
    tilelab::config_for_packer<cfg::THCON_SEC0_REG1_L1_Dest_addr>(tilelab::unit(scratch));
    ckernel_template::run();  // this
    TTI_SETADCXY(p_setadc::PAC, 0, 0, 0, 0, 0b1011);
    TTI_SETADCZW(p_setadc::PAC, 0, 0, 0, 0, 0b0101);
    tilelab::program_pack_tile();
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
