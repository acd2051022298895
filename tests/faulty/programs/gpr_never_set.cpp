// check uninit-gpr
// stands for tt-llk#1585: a GPR is used that only the operation before has set
// tiles 2
#include "add_tiles.h"

namespace NAMESPACE {
void MAIN {
#ifdef TRISC_PACK
+     gpr_write(40, 512);
    TTI_STALLWAIT(p_stall::STALL_CFG, p_stall::THCON | p_stall::PACK);
    TTI_WRCFG(40, 0, cfg::DEST_TARGET_REG_CFG_PACK_SEC1_Offset.word);  // this
    TTI_NOP;
#endif
    add_all_tiles();
}
}  // namespace NAMESPACE
