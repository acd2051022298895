// check store-overtaken
// stands for tt-metal#48585: a word reads configuration that a core has just stored
#include "add_tiles.h"

namespace NAMESPACE {
void MAIN {
#ifdef TRISC_PACK
    constexpr uint32_t word = cfg::PRNG_SEED_Seed_Val.word;
    config_word(word) = 5;  // other
+     TTI_STALLWAIT(p_stall::STALL_CFG, p_stall::TRISC_CFG);
    TTI_RDCFG(40, word);  // this
    TTI_STALLWAIT(p_stall::STALL_SYNC | p_stall::STALL_CFG, p_stall::THCON);
#endif
    add_all_tiles();
}
}  // namespace NAMESPACE
