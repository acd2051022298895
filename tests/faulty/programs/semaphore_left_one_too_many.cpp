// check semaphore-left
// stands for tt-metal#52720: there are as many posts as rounds, and one get less
#include "add_tiles.h"

namespace NAMESPACE {
void MAIN {
#ifdef TRISC_PACK
    TTI_SEMINIT(4, 0, 1 << 6);
    for (uint32_t i = 0; i < num_tiles; ++i) TTI_SEMPOST(1 << 6);  // this
-     for (uint32_t i = 1; i < num_tiles; ++i) TTI_SEMGET(1 << 6);
+     for (uint32_t i = 0; i < num_tiles; ++i) TTI_SEMGET(1 << 6);
#endif
    add_all_tiles();
}
}  // namespace NAMESPACE
