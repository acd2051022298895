// check uninit-gpr
// stands for tt-llk#802: of a register that goes to the configuration only one half had been set
// tiles 2
#include "add_tiles.h"

namespace NAMESPACE {
void MAIN {
#ifdef TRISC_PACK
    TTI_SETDMAREG(0, 512, 0, 80);  // other
+     TTI_SETDMAREG(0, 0, 0, 81);
    TTI_STALLWAIT(p_stall::STALL_CFG, p_stall::THCON | p_stall::PACK);
    TTI_WRCFG(40, 0, cfg::DEST_TARGET_REG_CFG_PACK_SEC1_Offset.word);  // this
    TTI_NOP;
#endif
    add_all_tiles();
}
}  // namespace NAMESPACE
