// What TRISC0 does to the coprocessor before any core uses it: with the macros of our headers or of
// the vendor's, whichever are included.
#pragma once

#include <tilelab_build.h>

namespace tilelab {

// Dst is cleared, the vector unit's lanes are on, semaphores are as kernels take them up.
inline void prepare_coprocessor() {
    using namespace ckernel;
#ifdef ARCH_WORMHOLE
    TTI_ZEROACC(p_zeroacc::CLR_ALL, ADDR_MOD_1, 0);
#else
    constexpr uint32_t DEST_CG_CTRL = 0xFFB12240;
    *reinterpret_cast<volatile uint32_t*>(DEST_CG_CTRL) = 0;
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
}

}  // namespace tilelab
