// Start-up of a core: from reset to the kernel's MAIN and back to the host.
//
// TRISC0 puts the tile into a known state before any core touches the coprocessor: it clears Dst,
// enables the vector unit's lanes, sets semaphores and circular buffers, and then tells the other
// two through their mailboxes. Each core ends by waiting until its thread has nothing in flight
// and writing its word in L1, which the host has cleared before the start.
#include <tilelab/compute_kernel.h>
#include <tilelab/prepare.h>

namespace NAMESPACE {
void MAIN;
}

namespace {

#if defined(TRISC_UNPACK)
constexpr uint32_t core = 0;

// Tell NCRISC and BRISC, if they have programs, by their words in L1: counters are set.
void start_data_movement() {
    for (uint32_t core = 3; core < 5; ++core)
        if (tilelab::done_mailboxes[core]) *word_at(tilelab::done_mailboxes[core]) = tilelab::go_value;
}

void prepare_tile() {
    tilelab::prepare_coprocessor();
#pragma GCC unroll 32
    for (uint32_t id = 0; id < 32; ++id) {
        if (!tilelab::circular_buffers[id].tiles) continue;
        tilelab::received(id) = tilelab::circular_buffers[id].filled;
        tilelab::acknowledged(id) = 0;
    }
    tensix_sync();
    start_data_movement();
    mailbox_write(TRISC1, 1);
    mailbox_write(TRISC2, 1);
}

void begin() {
    prepare_tile();
    tilelab::prepare_buffers();
}
#else
#if defined(TRISC_MATH)
constexpr uint32_t core = 1;
#else
constexpr uint32_t core = 2;
#endif

void begin() {
    mailbox_read(TRISC0);
#ifdef TRISC_MATH
    addr_mod_t{}.set(ADDR_MOD_7);  // for the vector unit
#endif
#ifdef TRISC_PACK
    tilelab::prepare_buffers();
#endif
}
#endif

}  // namespace

extern "C" [[noreturn, gnu::used]] void trisc_main() {
    begin();
    NAMESPACE::MAIN;
    tensix_sync();
    *word_at(tilelab::done_mailboxes[core]) = tilelab::done_value;
    for (;;) {}
}

#include <tilelab/start.h>
