// check l1-store-overtaken
// stands for tt-metal#50154: what a core stores to L1 is read by the word behind the store
#include "add_tiles.h"

namespace NAMESPACE {
void MAIN {
#ifdef TRISC_PACK
    constexpr uint32_t at = 0x90000;
    gpr_write(40, at / 16);
    gpr_write(41, 0);
    *word_at(at) = 0x1234;  // other
+     load_blocking(at);
    TTI_STALLWAIT(p_stall::STALL_THCON, p_stall::THCON);
    TTI_LOADIND(1, 82, 0, 42, 40);  // this
    TTI_STALLWAIT(p_stall::STALL_SYNC, p_stall::THCON);
#endif
    add_all_tiles();
}
}  // namespace NAMESPACE
