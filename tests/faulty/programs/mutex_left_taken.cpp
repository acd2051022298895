// check mutex-left
// stands for tt-metal#13288: a lock that is not given back before the kernel ends
#include "add_tiles.h"

namespace NAMESPACE {
void MAIN {
    add_all_tiles();
#ifdef TRISC_PACK
    TTI_ATGETM(2);  // this
    TTI_RMWCIB0(255, 0, cfg::PRNG_SEED_Seed_Val.word);
+     TTI_ATRELM(2);
#endif
}
}  // namespace NAMESPACE
