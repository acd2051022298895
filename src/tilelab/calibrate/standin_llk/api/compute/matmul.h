// What matmul_fidelity.cpp (mesham/tt-sim) uses of tt-metal's compute API, over the vendor's own LLK:
// bf16 tiles, Dst of 16 bits in halves. A circular buffer is counted as tt-metal counts it, with the
// wait for the unpackers before a pop, but in L1: a tile by itself has no streams.
#pragma once
#include <cstdint>

#include "boot.h"
#include "ckernel.h"
#include "ckernel_globals.h"
#include "ckernel_helper.h"
#include "llk_assert.h"
#include "llk_defs.h"

std::uint32_t unp_cfg_context = 0;
std::uint32_t pack_sync_tile_dst_ptr = 0;
std::uint32_t math_sync_tile_dst_index = 0;

#if defined(TRISC_UNPACK)
#include "llk_unpack_AB_matmul.h"
#include "llk_unpack_common.h"
#elif defined(TRISC_MATH)
#include "llk_math_common.h"
#include "llk_math_matmul.h"
#else
#include "llk_lib_pack_wrappers.h"
#include "llk_pack_common.h"
#endif

#ifndef RISCV_DEBUG_REG_WALL_CLOCK_L
#define RISCV_DEBUG_REG_WALL_CLOCK_L 0xFFB121F0u
#endif
#define COUNT_GPR 4  // no constants: GCC takes the macros of words with names in them for declarations
#define ADDRESS_GPR 56
#define ALWAYS_INLINE inline __attribute__((always_inline))

namespace tt::CBIndex {
enum : std::uint32_t { c_0 = 0, c_1 = 1, c_16 = 16 };
}

template <typename T>
ALWAYS_INLINE T get_arg_val(int index) {
    return reinterpret_cast<const volatile T*>(ARGS_ADDRESS)[index];
}

namespace standin {
constexpr std::uint32_t BF16 = 5, TILE = 2048 / 16;  // addresses are in 16 bytes
constexpr auto SYNC = ckernel::DstSync::SyncHalf;
struct Buffer {
    std::uint32_t begin, read, acknowledged;
};
inline Buffer buffers[2] = {{BUFFERS / 16, BUFFERS / 16, 0},
                            {BUFFERS / 16 + PAGES * TILE, BUFFERS / 16 + PAGES * TILE, 0}};
}  // namespace standin

ALWAYS_INLINE void mm_init(std::uint32_t, std::uint32_t, std::uint32_t) {
    using namespace standin;
#if defined(TRISC_UNPACK)
    _llk_unpack_hw_configure_<false>(BF16, BF16, BF16, BF16, 16, 16, 4, 4, TILE, TILE);
    _llk_unpack_AB_matmul_init_<>();
    for (std::uint32_t buffer = 0; buffer < 2; buffer++)
        ckernel::regfile[ADDRESS_GPR + buffer] = COUNTERS / 16 + 2 * buffer + 1;
    ckernel::sync_regfile_write(ADDRESS_GPR + 1);
#elif defined(TRISC_MATH)
    _llk_math_hw_configure_<false>(BF16, BF16);
    _llk_math_matmul_init_<ckernel::MathFidelity::FIDELITY, 0>();
    _llk_math_pack_sync_init_<SYNC, false>();
#else
    _llk_pack_hw_configure_wrapper_<false, ckernel::PackMode::Default>(BF16, BF16, TILE);
    _llk_pack_init_wrapper_<ckernel::PackMode::Default, false>(BF16);
    _llk_pack_dest_init_<SYNC, false>();
#endif
}

ALWAYS_INLINE void acquire_dst() {
#if defined(TRISC_MATH)
    _llk_math_wait_for_dest_available_<standin::SYNC>();
#elif defined(TRISC_PACK)
    _llk_packer_wait_for_math_done_();
#endif
}

ALWAYS_INLINE void release_dst() {
#if defined(TRISC_MATH)
    _llk_math_dest_section_done_<standin::SYNC, false>();
#elif defined(TRISC_PACK)
    _llk_pack_dest_section_done_<standin::SYNC, false>();
#endif
}

ALWAYS_INLINE void cb_wait_front(std::uint32_t buffer, std::uint32_t tiles) {
#if defined(TRISC_UNPACK)
    const auto received = reinterpret_cast<const volatile std::uint32_t*>(COUNTERS + 32 * buffer);
    while (static_cast<std::uint16_t>(*received - standin::buffers[buffer].acknowledged) < tiles) {
    }
#endif
}

ALWAYS_INLINE void cb_pop_front(std::uint32_t buffer, std::uint32_t tiles) {
#if defined(TRISC_UNPACK)
    using namespace standin;
    Buffer& own = buffers[buffer];
    own.acknowledged += tiles;
    TT_SETDMAREG(0, own.acknowledged, 0, LO_16(COUNT_GPR));
    TTI_STALLWAIT(ckernel::p_stall::STALL_THCON, ckernel::p_stall::UNPACK);
    TT_STOREIND(1, 0, ckernel::p_ind::LD_32bit, LO_16(0), ckernel::p_ind::INC_NONE, COUNT_GPR,
                (ADDRESS_GPR + buffer));
    own.read += tiles * TILE;
    if (own.read >= own.begin + PAGES * TILE) own.read -= PAGES * TILE;
#endif
}

ALWAYS_INLINE void matmul_tiles(std::uint32_t in0, std::uint32_t in1, std::uint32_t tile0, std::uint32_t tile1,
                                std::uint32_t dst) {
    using namespace standin;
#if defined(TRISC_UNPACK)
    _llk_unpack_AB_matmul_<>(buffers[in0].read - 1, buffers[in1].read - 1, tile0, tile1, TILE, TILE);
#elif defined(TRISC_MATH)
    _llk_math_matmul_<ckernel::MathFidelity::FIDELITY, 0>(dst);
#endif
}

// What it packs once for each point is not timed, and nobody reads it.
ALWAYS_INLINE void cb_reserve_back(std::uint32_t, std::uint32_t) {}
ALWAYS_INLINE void cb_push_back(std::uint32_t, std::uint32_t) {}
ALWAYS_INLINE void pack_tile(std::uint32_t dst, std::uint32_t) {
#if defined(TRISC_PACK)
    _llk_pack_<standin::SYNC, false, ckernel::PackMode::Default>(dst, RESULT / 16 - 1);
#endif
}
