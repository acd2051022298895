// check store-overtaken
// stands for tt-metal#55664: another thread is told of configuration before it is there
#include "add_tiles.h"

namespace NAMESPACE {
void MAIN {
#ifdef TRISC_MATH
    config_word(cfg::THCON_SEC0_REG8_L1_Dest_addr.word) = 0x1234;  // other
+     load_blocking(TENSIX_CFG + 4 * cfg::THCON_SEC0_REG8_L1_Dest_addr.word);
    mailbox_write(TRISC2, 1);
#endif
#ifdef TRISC_PACK
    mailbox_read(TRISC1);
    TTI_RDCFG(40, cfg::THCON_SEC0_REG8_L1_Dest_addr.word);  // this
#endif
    add_all_tiles();
}
}  // namespace NAMESPACE
