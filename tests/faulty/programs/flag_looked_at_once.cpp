// check l1-store-overtaken
// stands for tt-metal#50304: a core looks once for a flag that it was told of, instead of until it is there
#include "add_tiles.h"

namespace NAMESPACE {
void MAIN {
    constexpr uint32_t flag = 0x90000, held = 5;
#ifdef TRISC_MATH
    TTI_SEMINIT(1, 0, semaphore::t6_sem(held));
    tensix_sync();
    mailbox_write(TRISC0, 0);
    *word_at(flag) = 3;  // other
    semaphore_post(held);
#endif
#ifdef TRISC_UNPACK
    mailbox_read(TRISC1);
    while (semaphore_read(held) == 0) continue;
    semaphore_get(held);
    tilelab::see_other_writers();
-     if (*word_at(flag) != 3) TTI_NOP;  // this
+     while (*word_at(flag) != 3) tilelab::see_other_writers();
#endif
    add_all_tiles();
}
}  // namespace NAMESPACE
