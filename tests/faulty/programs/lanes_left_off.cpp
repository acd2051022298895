// check lanes-left
// stands for tt-isa-documentation#SFPENCC.md: lanes that a condition has turned off stay off for the next kernel
#include "add_tiles.h"

namespace NAMESPACE {
void MAIN {
    add_all_tiles();
#ifdef TRISC_MATH
    TTI_SFPENCC(3, 0, 0, 10);
    TTI_SFPCAST(15, 0, 0);  // each lane's number
    TTI_SFPSETCC(0, 0, 0, 2);  // this
    TTI_SFPMOV(0, 0, 0, 0);
+     TTI_SFPENCC(3, 0, 0, 10);
#endif
}
}  // namespace NAMESPACE
