// check replay-unplayed
// stands for tt-llk#1690: words are recorded at 16, and slot 0 is played
// tiles 2
#include "add_tiles.h"

namespace NAMESPACE {
void MAIN {
#ifdef TRISC_MATH
-     lltt::record(0, 2);
-     TTI_NOP;
-     TTI_NOP;
-     lltt::record(16, 2);  // this
+     lltt::record(0, 2);
    TTI_DMANOP;
    TTI_DMANOP;
    lltt::replay(0, 2);  // other
#endif
    add_all_tiles();
}
}  // namespace NAMESPACE
