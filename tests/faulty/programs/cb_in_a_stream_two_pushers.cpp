// check cb-two-owners
// stands for tt-metal#46758: two cores push to one buffer, counted in a stream's registers
// streams yes
#include "add_tiles.h"

namespace NAMESPACE {
void MAIN {
    add_all_tiles();
    // c_20 as the vendor's kernels count it: in stream 20
    volatile uint32_t *received = reinterpret_cast<volatile uint32_t *>(0xFFB54028);
#ifdef TRISC_PACK
    *received = 0;
    *received = 1;  // other
    mailbox_write(TRISC0, 1);
+     mailbox_read(TRISC0);
+     *received = 2;
#endif
#ifdef TRISC_UNPACK
    mailbox_read(TRISC2);
-     *received = 2;  // this
+     mailbox_write(TRISC2, 1);
#endif
}
}  // namespace NAMESPACE
