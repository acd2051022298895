// check mailbox-left
// stands for tt-metal#57066: a value that nobody reads shifts what the next kernel reads
// tiles 1
#include "add_tiles.h"

namespace NAMESPACE {
void MAIN {
    add_all_tiles();
#ifdef TRISC_UNPACK
    mailbox_write(TRISC1, 1);
-     mailbox_write(TRISC1, 2);  // this
#elif defined(TRISC_MATH)
    mailbox_read(TRISC0);
#endif
}
}  // namespace NAMESPACE
