// Functions of two and three tiles in Dst: numbers, then integers.
#pragma once

#include <tilelab/functions.h>

TILELAB_OF_TWO(eq_binary, tilelab::vec::equal(a, b))
TILELAB_OF_TWO(ne_binary, tilelab::vec::unequal(a, b))
TILELAB_OF_TWO(lt_binary, tilelab::vec::less(a, b))
TILELAB_OF_TWO(le_binary, tilelab::vec::less_or_equal(a, b))
TILELAB_OF_TWO(gt_binary, tilelab::vec::less(b, a))
TILELAB_OF_TWO(ge_binary, tilelab::vec::less_or_equal(b, a))
TILELAB_OF_TWO(rsub_binary, b - a)
#undef TILELAB_OF_TWO

// in0 + value × in1 × in2; in0 + value × in1 / in2; in0 + in2 × (in1 − in0); in0 × in1 + in2. The
// value is given by its bits.
#define TILELAB_OF_THREE(name, value, ...)                                                         \
    template <auto...>                                                                             \
    [[gnu::always_inline]] inline void name##_tile_init() {}                                       \
    template <auto...>                                                                             \
    [[gnu::always_inline]] inline void name##_tile(uint32_t in0, uint32_t in1, uint32_t in2,       \
                                                   uint32_t out TILELAB_##value) {                 \
        vector_tile(0, [=] {                                                                       \
            const sfpi::vFloat a = tilelab::vector_of(in0), b = tilelab::vector_of(in1),           \
                               c = tilelab::vector_of(in2);                                        \
            tilelab::vector_of(out) = __VA_ARGS__;                                                 \
        });                                                                                        \
    }
#define TILELAB_PLAIN
#define TILELAB_VALUE , uint32_t bits
TILELAB_OF_THREE(addcmul, VALUE, a + ckernel::sfpu::Converter::as_float(bits) * b * c)
TILELAB_OF_THREE(addcdiv, VALUE,
                 a + ckernel::sfpu::Converter::as_float(bits) * b * tilelab::vec::recip(c))
TILELAB_OF_THREE(lerp, PLAIN, a + c * (b - a))
TILELAB_OF_THREE(mac, PLAIN, a * b + c)
#undef TILELAB_OF_THREE
#undef TILELAB_PLAIN
#undef TILELAB_VALUE

// A tile, but 0 or +∞ where another is 0.
namespace tilelab {
template <sfpi::DataLayout Layout, typename Vector, typename Number>
[[gnu::always_inline]] inline void mask_vectors(uint32_t data, uint32_t mask, Number number) {
    vector_tile(0, [=] {
        const Vector which = vector_of(mask).mode<Layout>();
        Vector y = vector_of(data).mode<Layout>();
        v_if(sfpi::as<sfpi::vUInt>(which) << 1 == 0) { y = number; }
        v_endif;
        vector_of(data).mode<Layout>() = y;
    });
}
}  // namespace tilelab
[[gnu::always_inline]] inline void mask_tile_init() {}
[[gnu::always_inline]] inline void mask_tile(uint32_t data, uint32_t mask,
                                             DataFormat format = DataFormat::Float16_b) {
    using sfpi::DataLayout;
    if (format == DataFormat::Int32 || format == DataFormat::UInt32) {
        tilelab::mask_vectors<DataLayout::I32, sfpi::vInt>(data, mask, 0);
    } else {
        tilelab::mask_vectors<DataLayout::Default, sfpi::vFloat>(data, mask, 0.0f);
    }
}
[[gnu::always_inline]] inline void mask_posinf_tile(uint32_t data, uint32_t mask) {
    tilelab::mask_vectors<sfpi::DataLayout::Default, sfpi::vFloat>(data, mask, __builtin_inff());
}

// Integers: of 32 bits, or of 16 bits without a sign in a Dst of 16 bits.
namespace tilelab {
template <DataFormat Format>
constexpr sfpi::DataLayout integer_layout() {
    static_assert(Format == DataFormat::Int32 || Format == DataFormat::UInt32 ||
                      Format == DataFormat::UInt16,
                  "integers are Int32, UInt32 or UInt16");
    return Format == DataFormat::UInt16 ? sfpi::DataLayout::U16 : sfpi::DataLayout::I32;
}
}  // namespace tilelab

#define TILELAB_INTEGERS(name, ...)                                                                \
    template <DataFormat Format, auto...>                                                          \
    [[gnu::always_inline]] inline void name(uint32_t in0, uint32_t in1, uint32_t out) {            \
        vector_tile(0, [=] {                                                                       \
            using namespace sfpi;                                                                  \
            constexpr DataLayout layout = tilelab::integer_layout<Format>();                       \
            if constexpr (Format == DataFormat::UInt16) {                                          \
                const vUInt a = tilelab::vector_of(in0).mode<layout>();                            \
                const vUInt b = tilelab::vector_of(in1).mode<layout>();                            \
                tilelab::vector_of(out).mode<layout>() = vUInt(__VA_ARGS__);                       \
            } else {                                                                               \
                const vInt a = tilelab::vector_of(in0).mode<layout>();                             \
                const vInt b = tilelab::vector_of(in1).mode<layout>();                             \
                tilelab::vector_of(out).mode<layout>() = vInt(__VA_ARGS__);                        \
            }                                                                                      \
        });                                                                                        \
    }
TILELAB_INTEGERS(add_int_tile, a + b)
TILELAB_INTEGERS(sub_int_tile, a - b)
TILELAB_INTEGERS(rsub_int_tile, b - a)
TILELAB_INTEGERS(bitwise_and_binary_tile, a & b)
TILELAB_INTEGERS(bitwise_or_binary_tile, a | b)
TILELAB_INTEGERS(bitwise_xor_binary_tile, a ^ b)
#undef TILELAB_INTEGERS
#define TILELAB_INIT(name)                                                                         \
    template <auto...>                                                                             \
    [[gnu::always_inline]] inline void name##_init() {}
TILELAB_INIT(add_int_tile)
TILELAB_INIT(sub_int_tile)
TILELAB_INIT(rsub_int_tile)
TILELAB_INIT(binary_bitwise_tile)
#undef TILELAB_INIT
