// check replay-swallowed
// stands for tt-llk#1643: what a recording took in is recorded over before it is played
// policy semaphore-left=off
// tiles 2
#include "add_tiles.h"

namespace NAMESPACE {
void MAIN {
#ifdef TRISC_MATH
-     lltt::record(16, 3);  // other
+     lltt::record(16, 2);
    TTI_NOP;
    TTI_DMANOP;
    TTI_SEMPOST(1 << 7);  // this
    lltt::replay(16, 2);
    lltt::record(18, 2);
    TTI_NOP;
    TTI_DMANOP;
    lltt::replay(18, 2);
#endif
    add_all_tiles();
}
}  // namespace NAMESPACE
