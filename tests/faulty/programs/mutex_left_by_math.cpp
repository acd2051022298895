// check mutex-left
// stands for tt-metal#13288: one way out of a kernel forgets to give the lock back
#include "add_tiles.h"

namespace NAMESPACE {
void MAIN {
#ifdef TRISC_MATH
    TTI_ATGETM(4);  // this
    TTI_RMWCIB0(255, 0, cfg::PRNG_SEED_Seed_Val.word);
-     if (num_tiles == 0) TTI_ATRELM(4);
+     TTI_ATRELM(4);
#endif
    add_all_tiles();
}
}  // namespace NAMESPACE
