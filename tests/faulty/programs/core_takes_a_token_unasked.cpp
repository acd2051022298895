// check semaphore-got-early
// stands for tt-llk#185: the packer's core takes what math's core posts behind the mail that lets it go on
#include "add_tiles.h"

namespace NAMESPACE {
void MAIN {
    constexpr uint32_t token = 5;
#ifdef TRISC_MATH
    TTI_SEMINIT(4, 1, semaphore::t6_sem(token));
    tensix_sync();
    mailbox_write(TRISC2, 0);
    semaphore_post(token);  // other
#endif
#ifdef TRISC_PACK
    mailbox_read(TRISC1);
    semaphore_get(token);
    for (uint32_t n = 0; n < 70; ++n) asm volatile("nop");
+     while (semaphore_read(token) == 0) continue;
    semaphore_get(token);  // this
#endif
    add_all_tiles();
#ifdef TRISC_PACK
    semaphore_post(token);  // as it was found
#endif
}
}  // namespace NAMESPACE
