// Start-up of NCRISC and BRISC: from reset to kernel_main and back to the host.
//
// TRISC0 sets the counters of circular buffers and then says so in this core's word in L1, which the
// host has cleared before the start. At the end the core writes there that it is done; the kernel has
// waited by then for what it asked of the NoC, as kernels of tt-metal have to (tt-metal#9523).
#include <tilelab/data_movement.h>

namespace {
#ifdef COMPILE_FOR_BRISC
constexpr uint32_t core = 3;
#else
constexpr uint32_t core = 4;
#endif
}  // namespace

extern "C" [[noreturn, gnu::used]] void data_movement_main() {
    volatile uint32_t& word = *word_at(tilelab::done_mailboxes[core]);
    while (word != tilelab::go_value) tilelab::see_other_writers();
    tilelab::prepare_buffers();
    tilelab::count_answers();
    kernel_main();
    word = tilelab::done_value;
    for (;;) {}
}

#include <tilelab/start.h>
