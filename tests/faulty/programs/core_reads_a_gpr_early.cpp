// check race-gpr
// also uninit-gpr
// stands for tt-metal#52728: a core reads a GPR that its thread has yet to set
// tiles 2
#include "add_tiles.h"

namespace NAMESPACE {
void MAIN {
#ifdef TRISC_PACK
    gpr_write(40, 5);  // this
+     tensix_sync();
    if (load_blocking(0xFFE00000 + 4 * 40) == 99) TTI_NOP;  // other
#endif
    add_all_tiles();
}
}  // namespace NAMESPACE
