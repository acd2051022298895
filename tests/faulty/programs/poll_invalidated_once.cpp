// check l1-cache-stale
// stands for tt-metal#22058: the cache is emptied before the loop that polls, and not in it
#include "add_tiles.h"

namespace NAMESPACE {
void MAIN {
    constexpr uint32_t at = 0x1F000;
#ifdef TRISC_PACK
    *word_at(at) = 0;
    mailbox_write(TRISC1, 1);
    tilelab::see_other_writers();
-     while (*word_at(at) != 3) continue;  // this
+     while (*word_at(at) != 3) tilelab::see_other_writers();
#elif defined(TRISC_MATH)
    mailbox_read(TRISC2);
    for (uint32_t i = 0; i < 40; ++i) asm volatile("nop");
    *word_at(at) = 3;  // other
#endif
    add_all_tiles();
}
}  // namespace NAMESPACE
