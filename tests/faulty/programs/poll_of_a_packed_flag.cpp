// check l1-cache-stale
// stands for tt-metal#51030: the counter that somebody else moves is loaded again and again
#include "add_tiles.h"

namespace NAMESPACE {
void MAIN {
    constexpr uint32_t at = 0x90000;
#ifdef TRISC_UNPACK
    *word_at(at) = 0;
    load_blocking(at);
    mailbox_write(TRISC2, 1);
-     while (*word_at(at) == 0) continue;  // this
+     while (*word_at(at) == 0) tilelab::see_other_writers();
#elif defined(TRISC_PACK)
    mailbox_read(TRISC0);
    gpr_write(40, at / 16);
    gpr_write(41, 0);
    gpr_write(42, 7);
    tensix_sync();
    TTI_STALLWAIT(p_stall::STALL_THCON, p_stall::TRISC_CFG);
    TTI_STOREIND(1, 0, 1, 82, 0, 42, 40);  // other
#endif
    add_all_tiles();
}
}  // namespace NAMESPACE
