// check replay-overwritten
// stands for tt-llk#1690: a second init records over the first one's words before they are played
// tiles 2
#include "add_tiles.h"

namespace NAMESPACE {
void MAIN {
#ifdef TRISC_MATH
    lltt::record(16, 2);
    TTI_NOP;
    TTI_DMANOP;
-     lltt::record(17, 2);  // other
+     lltt::record(18, 2);
    TTI_DMANOP;
    TTI_DMANOP;
    lltt::replay(16, 2);  // this
+     lltt::replay(18, 2);
#endif
    add_all_tiles();
}
}  // namespace NAMESPACE
