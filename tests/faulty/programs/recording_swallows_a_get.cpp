// check replay-swallowed
// stands for tt-metal#53416: a recording swallows the wait of another operation
// tiles 2
#include "add_tiles.h"

namespace NAMESPACE {
void MAIN {
#ifdef TRISC_PACK
-     lltt::record(0, 3);  // other
+     lltt::record(0, 2);
    TTI_NOP;
    TTI_NOP;
    TTI_SEMWAIT(p_stall::STALL_PACK, semaphore::t6_sem(semaphore::MATH_PACK), p_stall::STALL_ON_ZERO);  // this
    lltt::replay(0, 2);
#endif
    add_all_tiles();
}
}  // namespace NAMESPACE
