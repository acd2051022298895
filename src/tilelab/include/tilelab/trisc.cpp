// Start-up of a core: from reset to the kernel's MAIN and back to the host.
//
// TRISC0 puts the tile into a known state before any core touches the coprocessor: it clears Dst,
// enables the vector unit's lanes, sets semaphores and circular buffers, and then tells the other
// two through their mailboxes. Each core ends by waiting until its thread has nothing in flight
// and writing its word in L1, which the host has cleared before the start.
#include <tilelab/compute_kernel.h>

namespace NAMESPACE {
void MAIN;
}

namespace {

#if defined(TRISC_UNPACK)
constexpr uint32_t core = 0;

void prepare_tile() {
#ifdef ARCH_WORMHOLE
    TTI_ZEROACC(p_zeroacc::CLR_ALL, ADDR_MOD_1, 0);
#else
    constexpr uint32_t DEST_CG_CTRL = 0xFFB12240;
    *word_at(DEST_CG_CTRL) = 0;
    TTI_ZEROACC(p_zeroacc::CLR_ALL, 0, 0, ADDR_MOD_1, 0);
#endif
    TTI_SFPENCC(3, 0, 0, 10);
    TTI_NOP;
    TTI_SFPCONFIG(0, 11, 1);  // LReg[11] = -1
    constexpr uint32_t parts_of_dst = tilelab::dst_full ? 1 : 2;
    TTI_SEMINIT(parts_of_dst, 0, semaphore::t6_sem(semaphore::MATH_PACK));
    TTI_SEMINIT(2, 0, semaphore::t6_sem(semaphore::UNPACK_SYNC));
    TTI_SEMINIT(1, 0, semaphore::t6_sem(semaphore::UNPACK_TO_DEST));
    TTI_SEMINIT(1, 0, semaphore::t6_sem(semaphore::MATH_DONE));
    TTI_SEMINIT(1, 0, semaphore::t6_sem(semaphore::PACK_DONE));
#pragma GCC unroll 32
    for (uint32_t id = 0; id < 32; ++id) {
        if (!tilelab::circular_buffers[id].tiles) continue;
        tilelab::received(id) = tilelab::circular_buffers[id].filled;
        tilelab::acknowledged(id) = 0;
    }
    tensix_sync();
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

// Entry: global pointer, stack, initialised data (the loader put it at __data_image), zeroed data.
asm(R"(
    .section .init, "ax", @progbits
    .globl _start
    .type _start, @function
_start:
    .option push
    .option norelax
    la gp, __global_pointer$
    .option pop
    la sp, __stack_top
    la t0, __data_image
    la t1, __data_start
    la t2, __data_end
1:  bgeu t1, t2, 2f
    lw t3, 0(t0)
    sw t3, 0(t1)
    addi t0, t0, 4
    addi t1, t1, 4
    j 1b
2:  la t2, __bss_end
3:  bgeu t1, t2, 4f
    sw zero, 0(t1)
    addi t1, t1, 4
    j 3b
4:  j trisc_main
    .size _start, . - _start
    .text
)");

// What the program was built of: `tilelab run` says so if the source has changed since.
asm(".section .tilelab_source, \"\", @progbits\n\t.ascii \"" TILELAB_SOURCE "\"\n\t.text");
