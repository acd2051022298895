// check uninit-adc
// stands for tt-llk#1585: the unpacker's address counters are where the operation before left them
// tiles 2
#include "add_tiles.h"

namespace NAMESPACE {
void MAIN {
#ifdef TRISC_UNPACK
    using namespace tilelab;
    configure_unpacker(cfg::THCON_SEC0_REG0_TileDescriptor, cfg::THCON_SEC0_REG2_Out_data_format,
                       cfg::UNP0_ADDR_CTRL_ZW_REG_1_Zstride, DataFormat::Float16_b);
    config_word(cfg::THCON_SEC0_REG5_Dest_cntx0_address.word) = 64;
    config_word(cfg::THCON_SEC0_REG5_Tile_x_dim_cntx0.word) = FACE_DATUMS;
    TTI_STALLWAIT(p_stall::STALL_UNPACK | p_stall::STALL_CFG, p_stall::TRISC_CFG);
    TTI_SETC16(cfg::SRCA_SET_Base.word, 1 << cfg::SRCA_SET_SetOvrdWithAddr.lo);
    TTI_SETC16(cfg::UNPACK_MISC_CFG_CfgContextOffset_0.word, 0);
+     TTI_SETADCXX(p_setadc::UNP_A, 15, 0);
+     TTI_SETADCXY(p_setadc::UNP_A, 0, 0, 0, 0, 0b1011);
+     TTI_SETADCZW(p_setadc::UNP_A, 0, 0, 0, 0, 0b1111);
    unpack_a_from(tile_address(tt::CBIndex::c_0, 0));
    TTI_UNPACR(SrcA, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 1);  // this
    tensix_sync();
#endif
    add_all_tiles();
}
}  // namespace NAMESPACE
