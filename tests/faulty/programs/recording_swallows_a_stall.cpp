// check replay-swallowed
// stands for tt-metal#53416: the wait behind a recording is recorded, and nothing waits
// tiles 2
#include "add_tiles.h"

namespace NAMESPACE {
void MAIN {
#ifdef TRISC_MATH
-     lltt::record(16, 3);  // other
+     lltt::record(16, 2);
    TTI_NOP;
    TTI_DMANOP;
    TTI_STALLWAIT(p_stall::STALL_CFG, p_stall::MATH);  // this
    lltt::replay(16, 2);
#endif
    add_all_tiles();
}
}  // namespace NAMESPACE
