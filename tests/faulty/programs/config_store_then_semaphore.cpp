// check store-overtaken
// stands for tt-metal#55664: a semaphore says that configuration is there, before it is
// policy semaphore-left=off
#include "add_tiles.h"

namespace NAMESPACE {
void MAIN {
#ifdef TRISC_MATH
    config_word(cfg::THCON_SEC0_REG8_L1_Dest_addr.word) = 0x1234;  // other
-     semaphore_post(7);
+     TTI_STALLWAIT(p_stall::STALL_SYNC, p_stall::TRISC_CFG);
+     TTI_SEMPOST(1 << 7);
#endif
#ifdef TRISC_PACK
    while (semaphore_read(7) == 0) continue;
    TTI_RDCFG(40, cfg::THCON_SEC0_REG8_L1_Dest_addr.word);  // this
#endif
    add_all_tiles();
}
}  // namespace NAMESPACE
