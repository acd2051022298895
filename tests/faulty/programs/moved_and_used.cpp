// check race-l1
// stands for tt-metal#42088: the mover still brings what the thread reads
// tiles 1
#include "add_tiles.h"

namespace NAMESPACE {
void MAIN {
#ifdef TRISC_UNPACK
    constexpr uint32_t from = 0x90000, to = 0x91000;
    for (uint32_t at = 0; at < 64; at += 4) *word_at(from + at) = at;
    load_blocking(from + 60);
    tensix_sync();
    config_word(cfg::THCON_SEC0_REG6_Source_address.word) = from / 16;
    config_word(cfg::THCON_SEC0_REG6_Destination_address.word) = to / 16;
    config_word(cfg::THCON_SEC0_REG6_Buffer_size.word) = 4;
    config_word(cfg::THCON_SEC0_REG6_Transfer_direction.word) = 3;
    TTI_STALLWAIT(p_stall::STALL_XMOV, p_stall::TRISC_CFG);
    gpr_write(40, to / 16);
    gpr_write(41, 0);
    TTI_STALLWAIT(p_stall::STALL_THCON, p_stall::THCON);
    TTI_XMOV(0, 0);  // other
+     TTI_STALLWAIT(p_stall::STALL_THCON, p_stall::XMOV);
    TTI_LOADIND(1, 82, 0, 42, 40);  // this
    tensix_sync();
#endif
    add_all_tiles();
}
}  // namespace NAMESPACE
