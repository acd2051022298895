// check race-l1
// stands for tt-metal#13288: a lock of one's own
#include "add_tiles.h"

namespace NAMESPACE {
void MAIN {
    add_all_tiles();
#ifdef TRISC_MATH
    *word_at(0x1F000) = 1;  // other
+     mailbox_write(TRISC2, 1);
#endif
#ifdef TRISC_PACK
    for (volatile uint32_t late = 0; late < 20; late = late + 1) {}
+     mailbox_read(TRISC1);
    *word_at(0x1F000) = 2;  // this
#endif
}
}  // namespace NAMESPACE
