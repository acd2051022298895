// check store-overtaken
// stands for tt-metal#52728: a GPR is stored to, and used by a word before it is there
#include "add_tiles.h"

namespace NAMESPACE {
void MAIN {
#ifdef TRISC_PACK
    constexpr uint32_t gpr = 40;
    *word_at(0xFFE00000 + 4 * gpr) = 0x1234;  // other
+     load_blocking(0xFFE00000 + 4 * gpr);
    TTI_WRCFG(gpr, 0, cfg::THCON_SEC0_REG8_L1_Dest_addr.word);  // this
    TTI_NOP;
#endif
    add_all_tiles();
}
}  // namespace NAMESPACE
