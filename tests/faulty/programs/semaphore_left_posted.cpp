// check semaphore-left
// stands for tt-metal#16439: a semaphore is posted once more than it is got
#include "add_tiles.h"

namespace NAMESPACE {
void MAIN {
#ifdef TRISC_UNPACK
    TTI_SEMINIT(2, 0, 1 << 5);
    TTI_SEMPOST(1 << 5);  // this
+     TTI_SEMGET(1 << 5);
#endif
    add_all_tiles();
}
}  // namespace NAMESPACE
