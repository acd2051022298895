// check uninit-addr-mod
// stands for tt-metal#43582: an address modifier that the operation before was to set
// tiles 2
#include "add_tiles.h"

namespace NAMESPACE {
void MAIN {
#ifdef TRISC_MATH
    TTI_SETRWC(p_setrwc::CLR_NONE, 0, 0, 0, 0, p_setrwc::SET_ABD_F);
+     addr_mod_t{.dest = {.incr = 2}}.set(ADDR_MOD_6);
    TTI_SFPLOADI(0, 0, 0x3F80);
    TTI_SFPSTORE(0, 0, ADDR_MOD_6, 0);  // this
    TTI_STALLWAIT(p_stall::STALL_MATH, p_stall::SFPU1);
#endif
    add_all_tiles();
}
}  // namespace NAMESPACE
