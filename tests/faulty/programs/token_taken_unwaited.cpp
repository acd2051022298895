// check semaphore-got-early
// stands for tt-llk#194: math takes a token that the unpacker's thread gives, and does not wait for it
#include "add_tiles.h"

namespace NAMESPACE {
void MAIN {
    constexpr uint32_t token = 5;
#ifdef TRISC_UNPACK
    TTI_SEMINIT(1, 0, semaphore::t6_sem(token));
    tensix_sync();
    mailbox_write(TRISC1, 0);
    TTI_SEMPOST(semaphore::t6_sem(token));  // other
#endif
#ifdef TRISC_MATH
    mailbox_read(TRISC0);
    for (uint32_t n = 0; n < 70; ++n) asm volatile("nop");
+     TTI_SEMWAIT(p_stall::STALL_SYNC, semaphore::t6_sem(token), p_stall::STALL_ON_ZERO);
    TTI_SEMGET(semaphore::t6_sem(token));  // this
#endif
    add_all_tiles();
}
}  // namespace NAMESPACE
