// check store-overtaken
// stands for tt-metal#52728: a sum takes a GPR that a core has just stored to
#include "add_tiles.h"

namespace NAMESPACE {
void MAIN {
#ifdef TRISC_MATH
    *word_at(0xFFE00000 + 4 * 41) = 3;  // other
+     TTI_STALLWAIT(p_stall::STALL_CFG | p_stall::STALL_THCON, p_stall::TRISC_CFG);
    TTI_SETDMAREG(0, 1, 0, 84);
    TTI_SETDMAREG(0, 0, 0, 85);
    TTI_ADDDMAREG(0, 43, 42, 41);  // this
    TTI_STALLWAIT(p_stall::STALL_SYNC, p_stall::THCON);
#endif
    add_all_tiles();
}
}  // namespace NAMESPACE
