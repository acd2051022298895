// check l1-store-overtaken
// stands for tt-metal#50304: a core takes from L1 what a message told it of, and the message overtakes it
#include "add_tiles.h"

namespace NAMESPACE {
void MAIN {
    constexpr uint32_t at = 0x90000;
#ifdef TRISC_UNPACK
    for (uint32_t i = 0; i < 4; ++i) *word_at(at + 4 * i) = 7 * i;  // other
+     load_blocking(at + 12);
    mailbox_write(TRISC2, 4);
#endif
#ifdef TRISC_PACK
    const uint32_t count = mailbox_read(TRISC0);
    tilelab::see_other_writers();
    uint32_t sum = 0;
    for (uint32_t i = 0; i < count; ++i) sum += *word_at(at + 4 * i);  // this
    *word_at(at + 16) = sum;
#endif
    add_all_tiles();
}
}  // namespace NAMESPACE
