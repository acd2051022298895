// check l1-store-overtaken
// stands for tt-metal#50304: the other side is told of what a core stored before it is there
#include "add_tiles.h"

namespace NAMESPACE {
void MAIN {
    constexpr uint32_t at = 0x90000;
#ifdef TRISC_MATH
    *word_at(at) = 0x1234;  // other
+     load_blocking(at);
    mailbox_write(TRISC2, 1);
#endif
#ifdef TRISC_PACK
    gpr_write(40, at / 16);
    gpr_write(41, 0);
    mailbox_read(TRISC1);
    TTI_STALLWAIT(p_stall::STALL_THCON, p_stall::THCON);
    TTI_LOADIND(1, 82, 0, 42, 40);  // this
    TTI_STALLWAIT(p_stall::STALL_SYNC, p_stall::THCON);
#endif
    add_all_tiles();
}
}  // namespace NAMESPACE
