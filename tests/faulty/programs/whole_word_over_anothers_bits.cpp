// check race-config
// stands for tt-llk#1658: a whole word is written for one field, and math's bits in it with it
// also config-not-ready
// tiles 2
#include "add_tiles.h"

namespace NAMESPACE {
void MAIN {
#ifdef TRISC_MATH
    cfg_write<cfg::ALU_ACC_CTRL_Zero_Flag_disabled_src>(1);  // other
#endif
#ifdef TRISC_PACK
-     gpr_write(40, 0);
-     TTI_STALLWAIT(p_stall::STALL_CFG, p_stall::THCON);
-     TTI_WRCFG(40, 0, cfg::STACC_RELU_ApplyRelu.word);  // this
+     cfg_write<cfg::STACC_RELU_ApplyRelu>(0);
    TTI_NOP;
#endif
    add_all_tiles();
}
}  // namespace NAMESPACE
