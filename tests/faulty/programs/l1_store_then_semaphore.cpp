// check l1-store-overtaken
// stands for tt-metal#50304: a semaphore says that a core has stored, before that is there
#include "add_tiles.h"

namespace NAMESPACE {
void MAIN {
    constexpr uint32_t at = 0x90000;
#ifdef TRISC_MATH
    TTI_SEMINIT(1, 0, 1 << 7);
    tensix_sync();
    *word_at(at) = 0x1234;  // other
+     load_blocking(at);
    TTI_SEMPOST(1 << 7);
    mailbox_write(TRISC2, 1);
#endif
#ifdef TRISC_PACK
    gpr_write(40, at / 16);
    gpr_write(41, 0);
    mailbox_read(TRISC1);
    TTI_STALLWAIT(p_stall::STALL_THCON, p_stall::TRISC_CFG);
    TTI_SEMWAIT(p_stall::STALL_THCON | p_stall::STALL_SYNC, 1 << 7, 1);
    TTI_LOADIND(1, 82, 0, 42, 40);  // this
    TTI_SEMGET(1 << 7);
    TTI_STALLWAIT(p_stall::STALL_SYNC, p_stall::THCON);
#endif
    add_all_tiles();
}
}  // namespace NAMESPACE
