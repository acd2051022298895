// check store-overtaken
// stands for tt-metal#14694: a word sets what a core's store, still under way, will set again
#include "add_tiles.h"

namespace NAMESPACE {
void MAIN {
#ifdef TRISC_PACK
    constexpr uint32_t gpr = 40;
    *word_at(0xFFE00000 + 4 * gpr) = 0x1234;  // other
+     TTI_STALLWAIT(p_stall::STALL_THCON, p_stall::TRISC_CFG);
    TTI_SETDMAREG(0, 0x55, 0, 2 * gpr);  // this
#endif
    add_all_tiles();
}
}  // namespace NAMESPACE
