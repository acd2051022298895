// check l1-cache-stale
// stands for tt-metal#51038: a core polls what another one stores, and its cache holds the old value
#include "add_tiles.h"

namespace NAMESPACE {
void MAIN {
    constexpr uint32_t at = 0x1F000;
#ifdef TRISC_UNPACK
    *word_at(at) = 0;
    mailbox_write(TRISC1, 1);
#elif defined(TRISC_MATH)
    mailbox_read(TRISC0);
    for (uint32_t i = 0; i < 40; ++i) asm volatile("nop");
    *word_at(at) = 2;  // other
#endif
#ifdef TRISC_UNPACK
-     while (*word_at(at) != 2) continue;  // this
+     while (*word_at(at) != 2) tilelab::see_other_writers();
#endif
    add_all_tiles();
}
}  // namespace NAMESPACE
