// Functions of whole tiles in Dst that are no activations: fill, copy, a number with each datum.
#pragma once

#include <tilelab/functions.h>

// Every datum is a number; of integers, all 32 bits of it.
[[gnu::always_inline]] inline void fill_tile_init() {}
[[gnu::always_inline]] inline void fill_tile_bitcast(uint32_t dst_index, uint32_t bits) {
    vector_tile(dst_index, [bits] {
        sfpi::dst_reg[0] = sfpi::vFloat(ckernel::sfpu::Converter::as_float(bits));
    });
}
[[gnu::always_inline]] inline void fill_tile(uint32_t dst_index, float number) {
    fill_tile_bitcast(dst_index, __builtin_bit_cast(uint32_t, number));
}
template <auto...>
[[gnu::always_inline]] inline void fill_tile_int(uint32_t dst_index, uint32_t number) {
    vector_tile(dst_index, [number] {
        sfpi::dst_reg[0].mode<sfpi::DataLayout::I32>() = sfpi::vInt(static_cast<int>(number));
    });
}

// Tile `out` of Dst = tile `in`, every bit of a Dst of 32 bits.
[[gnu::always_inline]] inline void copy_dest_values_init() {}
template <auto...>
[[gnu::always_inline]] inline void copy_dest_values(uint32_t in, uint32_t out) {
    vector_tile(0, [=] {
        if constexpr (tilelab::dst_32bit) {
            const sfpi::vInt x = tilelab::vector_of(in).mode<sfpi::DataLayout::I32>();
            tilelab::vector_of(out).mode<sfpi::DataLayout::I32>() = x;
        } else {
            const sfpi::vFloat x = tilelab::vector_of(in);
            tilelab::vector_of(out) = x;
        }
    });
}

// Each datum and a number, which is given by its bits.
[[gnu::always_inline]] inline void binop_with_scalar_tile_init() {}
#define TILELAB_WITH_NUMBER(name, function)                                                        \
    template <auto...>                                                                             \
    [[gnu::always_inline]] inline void name##_unary_tile(uint32_t dst_index, uint32_t bits) {      \
        vector_tile(dst_index, [bits] {                                                            \
            const sfpi::vFloat x = sfpi::dst_reg[0];                                               \
            const sfpi::vFloat n = ckernel::sfpu::Converter::as_float(bits);                       \
            sfpi::dst_reg[0] = function;                                                           \
        });                                                                                        \
    }
TILELAB_WITH_NUMBER(add, x + n)
TILELAB_WITH_NUMBER(sub, x - n)
TILELAB_WITH_NUMBER(rsub, n - x)
TILELAB_WITH_NUMBER(mul, x * n)
// The number is what x is multiplied by: the vendor's hosts give 1/n.
TILELAB_WITH_NUMBER(div, x * n)
#undef TILELAB_WITH_NUMBER

// Whether each datum is …: 1 or 0.
#define TILELAB_ASKED(name, condition)                                                             \
    [[gnu::always_inline]] inline void name##_tile_init() {}                                       \
    [[gnu::always_inline]] inline void name##_tile(uint32_t dst_index) {                           \
        vector_tile(dst_index, [] {                                                                \
            const sfpi::vFloat x = sfpi::dst_reg[0];                                               \
            sfpi::vFloat y = 0.0f;                                                                 \
            v_if(condition) { y = 1.0f; }                                                          \
            v_endif;                                                                               \
            sfpi::dst_reg[0] = y;                                                                  \
        });                                                                                        \
    }
TILELAB_ASKED(eqz, sfpi::is_zero(x))
TILELAB_ASKED(nez, !sfpi::is_zero(x))
TILELAB_ASKED(ltz, x < 0.0f && !sfpi::is_zero(x))
TILELAB_ASKED(gez, x >= 0.0f || sfpi::is_zero(x))
TILELAB_ASKED(gtz, x > 0.0f && !sfpi::is_zero(x))
TILELAB_ASKED(lez, x <= 0.0f || sfpi::is_zero(x))
TILELAB_ASKED(logical_not_unary, sfpi::is_zero(x))
#undef TILELAB_ASKED
