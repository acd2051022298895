// check config-not-ready
// stands for tt-llk#1655: a core reads a word, changes a field and stores it; another thread has another field of it
// tiles 2
#include "add_tiles.h"

namespace NAMESPACE {
void MAIN {
#ifdef TRISC_MATH
    cfg_write<cfg::ALU_ACC_CTRL_Zero_Flag_disabled_dst>(1);  // other
#endif
#ifdef TRISC_PACK
-     const uint32_t word = config_word(cfg::STACC_RELU_ApplyRelu.word);  // this
-     config_word(cfg::STACC_RELU_ApplyRelu.word) = word & ~1u | 4;
-     TTI_STALLWAIT(p_stall::STALL_PACK | p_stall::STALL_CFG, p_stall::TRISC_CFG);
+     cfg_write<cfg::STACC_RELU_ApplyRelu>(1);
+     cfg_write<cfg::STACC_RELU_ApplyRelu>(0);
    TTI_NOP;
#endif
    add_all_tiles();
}
}  // namespace NAMESPACE
