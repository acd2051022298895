// The compute kernel API: include this and write one kernel for the three cores.
//
//   namespace NAMESPACE {
//   void MAIN { … }
//   }
//
// The build compiles the kernel once for each core, with TRISC_UNPACK, TRISC_MATH or TRISC_PACK
// defined. UNPACK((…)), MATH((…)) and PACK((…)) expand their argument on that core only.
//
// Offered: 32 × 32 tiles of bfloat16, a 16-bit Dst in two halves of eight tiles.
// Not offered: other formats and tile shapes, 32-bit Dst, the vector unit, throttled matmul.
#pragma once

#if defined(TRISC_UNPACK)
#define UNPACK(x) x
#define MATH(x)
#define PACK(x)
#define NAMESPACE chlkc_unpack
#define MAIN unpack_main()
#include <tilelab/unpack.h>
#elif defined(TRISC_MATH)
#define UNPACK(x)
#define MATH(x) x
#define PACK(x)
#define NAMESPACE chlkc_math
#define MAIN math_main()
#include <tilelab/circular_buffers.h>
#include <tilelab/math.h>
#elif defined(TRISC_PACK)
#define UNPACK(x)
#define MATH(x)
#define PACK(x) x
#define NAMESPACE chlkc_pack
#define MAIN pack_main()
#include <tilelab/pack.h>
#else
#error "define TRISC_UNPACK, TRISC_MATH or TRISC_PACK"
#endif

#ifndef MATH_FIDELITY
#define MATH_FIDELITY MathFidelity::HiFi4
#endif
#ifndef MM_THROTTLE
#define MM_THROTTLE 0
#endif

// Math: wait until a half of Dst is free.
[[gnu::always_inline]] inline void tile_regs_acquire() { MATH((tilelab::wait_for_free_half())); }
// Math: the half is filled.
[[gnu::always_inline]] inline void tile_regs_commit() { MATH((tilelab::hand_over_half())); }
// Pack: wait until a half is filled.
[[gnu::always_inline]] inline void tile_regs_wait() { PACK((tilelab::wait_for_filled_half())); }
// Pack: the half is emptied; it is cleared and free again.
[[gnu::always_inline]] inline void tile_regs_release() { PACK((tilelab::release_half())); }

// Pack tile `dst_index` of the half behind the tiles already packed into the buffer.
[[gnu::always_inline]] inline void pack_tile(uint32_t dst_index, uint32_t out) {
    PACK((llk_pack(dst_index, out)));
}

// Prepare all three cores for matmul.
[[gnu::always_inline]] inline void mm_init(uint32_t in0, uint32_t in1, uint32_t out) {
    UNPACK((llk_unpack_AB_matmul_init(in0, in1)));
    MATH((llk_math_matmul_init<MATH_FIDELITY>()));
    PACK((llk_pack_init(out)));
}

// Tile `dst_index` of Dst += tile `index0` of in0 × tile `index1` of in1.
[[gnu::always_inline]] inline void matmul_tiles(uint32_t in0, uint32_t in1, uint32_t index0,
                                                uint32_t index1, uint32_t dst_index) {
    UNPACK((llk_unpack_AB_matmul(in0, in1, index0, index1)));
    MATH((llk_math_matmul<MATH_FIDELITY, MM_THROTTLE>(dst_index)));
}

// Prepare all three cores for element-wise addition.
[[gnu::always_inline]] inline void add_tiles_init(uint32_t in0, uint32_t in1, uint32_t out) {
    UNPACK((llk_unpack_AB_init(in0, in1)));
    MATH((llk_math_eltwise_add_init()));
    PACK((llk_pack_init(out)));
}

// Tile `dst_index` of Dst = tile `index0` of in0 + tile `index1` of in1.
[[gnu::always_inline]] inline void add_tiles(uint32_t in0, uint32_t in1, uint32_t index0,
                                             uint32_t index1, uint32_t dst_index) {
    UNPACK((llk_unpack_AB(in0, in1, index0, index1)));
    MATH((llk_math_run_faces(dst_index)));
}

// Prepare all three cores for copying.
[[gnu::always_inline]] inline void copy_tile_init(uint32_t in, uint32_t out) {
    UNPACK((llk_unpack_A_init(in)));
    MATH((llk_math_datacopy_init()));
    PACK((llk_pack_init(out)));
}

// Tile `dst_index` of Dst = tile `index` of in.
[[gnu::always_inline]] inline void copy_tile(uint32_t in, uint32_t index, uint32_t dst_index) {
    UNPACK((llk_unpack_A(in, index)));
    MATH((llk_math_run_faces(dst_index)));
}
