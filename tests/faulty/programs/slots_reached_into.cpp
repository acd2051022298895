// check replay-overwritten
// stands for tt-llk#1643: another operation records its words into these slots, and is not played
// tiles 2
#include "add_tiles.h"

namespace NAMESPACE {
void MAIN {
#ifdef TRISC_MATH
    lltt::record(16, 4);
    TTI_NOP;
    TTI_DMANOP;
    TTI_NOP;
    TTI_DMANOP;
    lltt::replay(16, 4);
-     lltt::record(18, 4);  // other
+     lltt::record(20, 4);
    TTI_DMANOP;
    TTI_NOP;
    TTI_DMANOP;
    TTI_NOP;
    lltt::replay(16, 4);  // this
#endif
    add_all_tiles();
}
}  // namespace NAMESPACE
