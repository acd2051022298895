// Functions that few kernels call: derivatives, logarithms of Γ and of the logistic function, random
// numbers, products of integers. All are made for 32-bit numbers, as those of activations.h.
#pragma once

#include <tilelab/several_tiles.h>

namespace tilelab::vec {

// 4 e / (1 + e)², e = e^(−2 |x|): 1 − tanh²x would cancel. Zero where it is below the least number.
SFPI_INLINE vFloat tanh_derivative(vFloat x) {
    const vFloat size = min(abs(x), 43.5f);
    const vFloat e = exp_normal(size * -2.0f);
    const vFloat part = recip_normal(1.0f + e);
    vFloat y = 4.0f * e * part * part;
    v_if(abs(x) > 43.5f) { y = 0.0f; }
    v_endif;
    return unless_nan(x, y);
}

// Φ(x) + x φ(x), of −|x| first; the rest is 1 less that.
SFPI_INLINE vFloat gelu_derivative(vFloat x) {
    const vFloat size = min(abs(x), 13.13f);
    const vFloat high = as<vFloat>(as<vUInt>(size) & 0xFFFFF000u);
    const vFloat low = (size - high) * (size + high) * -0.5f;
    vFloat y = erfc_positive(size * 0.707106781f, high * high * -0.5f, low, vFloat(0.5f));
    y = y - size * 0.398942280f * exp_normal(high * high * -0.5f, low);
    v_if(abs(x) > 13.13f) { y = 0.0f; }
    v_endif;
    v_if(x >= 0.0f) { y = 1.0f - y; }
    v_endif;
    return unless_nan(x, y);
}

SFPI_INLINE vFloat log_sigmoid(vFloat x) {
    return unless_nan(x, min(x, 0.0f) - log1p(exp(abs(x) * -1.0f)));
}

// ln Γ(z) for z ≥ ½: up to 2.5 a polynomial with its zeros at 1 and 2, then Stirling's series.
SFPI_INLINE vFloat log_gamma_positive(vFloat z, vFloat log_z) {
    const vFloat t = z - 1.5f;
    vFloat y = polynomial(t, 0.483128327f, -0.145957062f, 0.062954523f, -0.0313844891f,
                          0.016321176f, -0.00885231776f, 0.00731958527f, -0.00501679382f,
                          -0.00124784107f, 0.00145602129f, 0.00288863298f, -0.00203311986f);
    y = y * (z - 1.0f) * (z - 2.0f);
    v_if(z > 2.5f) {
        const vFloat r = recip_normal(z), square = r * r;
        y = polynomial(square, 8.33333333e-2f, -2.77777778e-3f, 7.93650794e-4f);
        y = y * r + ((z - 0.5f) * log_z - z + 0.918938533f);
    }
    v_endif;
    return y;
}
// Which z that is of a number x: Γ(x) Γ(1 − x) = π / sin πx.
SFPI_INLINE vFloat reflected(vFloat x) {
    vFloat z = x;
    v_if(x < 0.5f) { z = 1.0f - x; }
    v_endif;
    return z;
}

// 31 bits. The lanes' generators all have the same seed, so each lane's number is made another one
// by the lane's own, and by a product, which no sum of bits undoes.
SFPI_INLINE vUInt random_bits() {
    const vUInt lane = as<vUInt>(vInt(vConstTileId)) + 407u;
    vUInt salt = lane ^ (lane << 14);
    salt = salt ^ (salt << 6);
    vUInt x = as<vUInt>(op::read_config(SFPCONFIG_SRC_RAND)) + salt;
    x = x ^ (x >> 8);
    x = x ^ (x >> 16);
    const vFloat factor = as<vFloat>((x >> 9) | 0x3F800000u);
    const vUInt product = as<vUInt>(as<vFloat>((x & 0x7FFFFFu) | 0x3F800000u) * factor);
    x = x ^ (product << 9);
    x = x ^ (x >> 14) ^ (product << 19);
    return x & 0x7FFFFFFFu;
}

// The low bits of a product, by pieces of 11 bits: products of those are exact in a float, and lie in
// the mantissa of a number from 2²³ to 2²⁴.
template <int Shift> SFPI_INLINE vFloat piece(vUInt x) {
    return as<vFloat>(shft(x, -Shift) & 0x7FFu | 0x4B000000u) - 8388608.0f;
}
SFPI_INLINE vUInt whole(vFloat x) { return as<vUInt>(x + 8388608.0f) & 0x7FFFFFu; }
template <typename A, typename B> SFPI_INLINE vUInt product(A a, B b) {
    vUInt y = whole(piece<0>(a()) * piece<0>(b()));
    y = y + (whole(piece<0>(a()) * piece<11>(b())) << 11);
    y = y + (whole(piece<11>(a()) * piece<0>(b())) << 11);
    y = y + (whole(piece<0>(a()) * piece<22>(b())) << 22);
    y = y + (whole(piece<11>(a()) * piece<11>(b())) << 22);
    return y + (whole(piece<22>(a()) * piece<0>(b())) << 22);
}

}  // namespace tilelab::vec

TILELAB_ACTIVATION(tanh_derivative, tanh_derivative)
TILELAB_ACTIVATION(gelu_derivative, gelu_derivative)
#undef TILELAB_ACTIVATION

// Of x; the second tile, e^(−x) for the vendor's way, is not needed here.
[[gnu::always_inline]] inline void logsigmoid_tile_init() {}
[[gnu::always_inline]] inline void logsigmoid_tile(uint32_t in, uint32_t, uint32_t out) {
    vector_tile(0, [=] {
        const sfpi::vFloat x = tilelab::vector_of(in);
        tilelab::vector_of(out) = tilelab::vec::log_sigmoid(x);
    });
}

// ln Γ of x, or of 1 − x where x < ½; lgamma_adjusted makes of that ln |Γ(x)|, given ln |sin πx|.
template <auto...> [[gnu::always_inline]] inline void lgamma_stirling_tile_init() {}
template <auto...> [[gnu::always_inline]] inline void lgamma_stirling_tile(uint32_t dst_index) {
    vector_tile(dst_index, [] {
        using namespace tilelab::vec;
        const vFloat z = reflected(sfpi::dst_reg[0]);
        sfpi::dst_reg[0] = log_gamma_positive(z, log(z));
    });
}
[[gnu::always_inline]] inline void lgamma_stirling_float_tile_init() {}
[[gnu::always_inline]] inline void lgamma_stirling_float_tile(uint32_t in, uint32_t log_z,
                                                              uint32_t out) {
    vector_tile(0, [=] {
        using namespace tilelab::vec;
        const vFloat z = reflected(tilelab::vector_of(in));
        tilelab::vector_of(out) = log_gamma_positive(z, tilelab::vector_of(log_z));
    });
}
[[gnu::always_inline]] inline void lgamma_adjusted_tile_init() {}
template <auto...>
[[gnu::always_inline]] inline void lgamma_adjusted_tile(uint32_t log_gamma, uint32_t log_sine,
                                                        uint32_t in, uint32_t out) {
    vector_tile(0, [=] {
        using namespace tilelab::vec;
        const vFloat x = tilelab::vector_of(in);
        vFloat y = tilelab::vector_of(log_gamma);
        v_if(x < 0.5f) { y = 1.14472989f - vFloat(tilelab::vector_of(log_sine)) - y; }
        v_endif;
        v_if(size_bits(x) == INFINITE) { y = infinity(); }
        v_endif;
        tilelab::vector_of(out) = unless_nan(x, y);
    });
}

// Random numbers begin anew with a seed; the unit has them some time later. They are other numbers
// than the vendor's with the same seed: those are mixed further.
[[gnu::always_inline]] inline void rand_tile_init(uint32_t seed = 0, uint32_t stream = 0) {
#ifdef TRISC_MATH
    seed += stream * 0x9E3779B9u;
    config_word(cfg::PRNG_SEED_Seed_Val.word) = seed == ~0u ? seed - 1 : seed;
    for (int i = 0; i < 600; ++i) TTI_SFPNOP;
#endif
}
// from ≤ number < from + scale; both are given by their bits.
[[gnu::always_inline]] inline void rand_tile(uint32_t dst_index, uint32_t from, uint32_t scale) {
    vector_tile(dst_index, [=] {
        using namespace tilelab::vec;
        const vFloat unit = as<vFloat>(random_bits() >> 8 | 0x3F800000u) - 1.0f;
        sfpi::dst_reg[0] = unit * ckernel::sfpu::Converter::as_float(scale) +
                           ckernel::sfpu::Converter::as_float(from);
    });
}
[[gnu::always_inline]] inline void dropout_kernel_init(uint32_t seed = 0) { rand_tile_init(seed); }
// 0 in `probability` of 2³¹ cases, else x × scale, which is given by its bits.
[[gnu::always_inline]] inline void dropout_tile(uint32_t dst_index, uint32_t probability,
                                                uint32_t scale) {
    vector_tile(dst_index, [=] {
        using namespace tilelab::vec;
        vFloat y = sfpi::dst_reg[0];
        y = y * ckernel::sfpu::Converter::as_float(scale);
        v_if(as<vInt>(random_bits()) - vInt(static_cast<int>(probability)) < 0) { y = 0.0f; }
        v_endif;
        sfpi::dst_reg[0] = y;
    });
}

// Integers' products: their low bits.
template <DataFormat Format> [[gnu::always_inline]] inline void mul_int_tile_init() {}
template <DataFormat Format>
[[gnu::always_inline]] inline void mul_int_tile(uint32_t in0, uint32_t in1, uint32_t out) {
    vector_tile(0, [=] {
        using namespace sfpi;
        constexpr DataLayout layout = tilelab::integer_layout<Format>();
        const auto given = [](uint32_t tile) {
            return [tile] {
                if constexpr (layout == DataLayout::U16)
                    return vUInt(tilelab::vector_of(tile).mode<layout>());
                else
                    return as<vUInt>(vInt(tilelab::vector_of(tile).mode<layout>()));
            };
        };
        const vUInt y = tilelab::vec::product(given(in0), given(in1));
        if constexpr (layout == DataLayout::U16)
            tilelab::vector_of(out).mode<layout>() = y & 0xFFFFu;
        else
            tilelab::vector_of(out).mode<layout>() = as<vInt>(y);
    });
}
