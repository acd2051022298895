// check replay-swallowed
// also uninit-rwc
// stands for tt-llk#1643: a recording is one word longer than what is played
// tiles 1
#include "add_tiles.h"

namespace NAMESPACE {
void MAIN {
#ifdef TRISC_MATH
    TTI_SETC16(cfg::DEST_TARGET_REG_CFG_MATH_Offset.word, 0);
    addr_mod_t{}.set(ADDR_MOD_7);
-     lltt::record(16, 3);  // other
+     lltt::record(16, 2);
    TTI_SFPLOADI(0, 0, 0x3F80);
    TTI_SFPNOP;
    TTI_SETRWC(p_setrwc::CLR_NONE, 0, 0, 0, 0, p_setrwc::SET_ABD_F);  // this
    lltt::replay(16, 2);
    TTI_SFPSTORE(0, 0, ADDR_MOD_7, 0);
#endif
    add_all_tiles();
}
}  // namespace NAMESPACE
