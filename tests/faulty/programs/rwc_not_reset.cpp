// check uninit-rwc
// stands for tt-llk PR#359: an operation begins where the counters of Dst happen to be
// tiles 2
#include "add_tiles.h"

namespace NAMESPACE {
void MAIN {
#ifdef TRISC_MATH
    TTI_SETC16(cfg::DEST_TARGET_REG_CFG_MATH_Offset.word, 0);
+     TTI_SETRWC(p_setrwc::CLR_NONE, 0, 0, 0, 0, p_setrwc::SET_ABD_F);
    TTI_SFPLOADI(0, 0, 0x3F80);
    addr_mod_t{}.set(ADDR_MOD_7);
    TTI_SFPSTORE(0, 0, ADDR_MOD_7, 0);  // this
#endif
    add_all_tiles();
}
}  // namespace NAMESPACE
