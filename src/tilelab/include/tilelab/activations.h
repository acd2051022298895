// Functions of one vector, and the compute API's names for them: exp_tile_init(); exp_tile(dst); …
//
// All are made for 32-bit numbers; docs/activations.md says how far each is from the exact result.
#pragma once

#include <tilelab/vector.h>

namespace tilelab::vec {

using namespace sfpi;

SFPI_INLINE vFloat infinity() { return as<vFloat>(vInt(0x7F800000)); }

// 1 / x: of the mantissa, 1 ≤ m < 2, a first guess from the bits, then Newton's method; each step
// doubles the digits. The exponent is subtracted at the end.
SFPI_INLINE vFloat recip(vFloat x) {
    const vFloat m = setsgn(setexp(x, 127), 0);
    vFloat y = as<vFloat>(vInt(0x7EF311C7) - as<vInt>(m));
    y = y * (2.0f - m * y);
    y = y * (2.0f - m * y);
    y = y + y * (1.0f - m * y);
    y = as<vFloat>(as<vInt>(y) - (exexp(x) << 23));
    v_if(abs(x) < 0x1p-126f) { y = infinity(); }
    v_elseif(abs(x) >= 0x1p126f) { y = 0.0f; }
    v_endif;
    return copysgn(y, x);
}

// 1 / √x for x > 0, likewise.
SFPI_INLINE vFloat rsqrt_positive(vFloat x) {
    vFloat y = as<vFloat>(vInt(0x5F375A86) - as<vInt>(as<vUInt>(x) >> 1));
    const vFloat half = x * -0.5f;
    y = y * (1.5f + half * y * y);
    y = y * (1.5f + half * y * y);
    y = y + y * (0.5f + half * y * y);
    return y;
}
SFPI_INLINE vFloat rsqrt(vFloat x) {
    vFloat y = rsqrt_positive(x);
    v_if(x < 0x1p-126f) { y = infinity(); }
    v_endif;
    return y;
}
SFPI_INLINE vFloat sqrt(vFloat x) {
    const vFloat y = rsqrt_positive(x), root = x * y;
    vFloat result = root + 0.5f * y * (x - root * root);
    v_if(x < 0x1p-126f) { result = 0.0f; }
    v_endif;
    return result;
}

// eˣ = 2ⁿ eʳ with |r| ≤ ln 2 / 2
SFPI_INLINE vFloat exp(vFloat x) {
    const vFloat bounded = max(min(x, 88.7f), -87.3f);
    const Rounded n = round(bounded * 1.44269504f);
    const vFloat whole = n;
    vFloat r = bounded - whole * 0.693359375f;
    r = r + whole * 2.12194440e-4f;
    vFloat y = polynomial(r, 5.0000001201e-1f, 1.6666665459e-1f, 4.1665795894e-2f,
                          8.3334519073e-3f, 1.3981999507e-3f, 1.9875691500e-4f);
    y = y * r * r + r + 1.0f;
    y = as<vFloat>(as<vInt>(y) + (vInt(n) << 23));
    v_if(x < -87.3f) { y = 0.0f; }
    v_endif;
    v_if(x >= 88.72284f) { y = infinity(); }
    v_endif;
    return y;
}

// ln x = e ln 2 + ln m, m from √½ to √2
SFPI_INLINE vFloat log(vFloat x) {
    vInt e = exexp(x);
    vFloat m = setexp(x, 127);
    v_if(m >= 1.41421356f) {
        m = m * 0.5f;
        e = e + 1;
    }
    v_endif;
    const vFloat f = m - 1.0f;
    vFloat y = polynomial(f, 3.3333331174e-1f, -2.4999993993e-1f, 2.0000714765e-1f,
                          -1.6668057665e-1f, 1.4249322787e-1f, -1.2420140846e-1f,
                          1.1676998740e-1f, -1.1514610310e-1f, 7.0376836292e-2f);
    const vFloat square = f * f;
    y = y * f * square;
    const vFloat power = convert<vFloat>(e, RoundMode::NearestEven);
    y = y + power * -2.12194440e-4f;
    y = y - 0.5f * square;
    y = f + y;
    y = y + power * 0.693359375f;
    v_if(x < 0x1p-126f) { y = -infinity(); }
    v_endif;
    return y;
}

SFPI_INLINE vFloat sigmoid(vFloat x) { return recip(1.0f + exp(-x)); }
SFPI_INLINE vFloat silu(vFloat x) { return x * sigmoid(x); }

SFPI_INLINE vFloat tanh(vFloat x) {
    const vFloat size = abs(x);
    vFloat y = 1.0f - 2.0f * recip(exp(size + size) + 1.0f);
    v_if(size < 0.625f) {
        const vFloat z = size * size;
        y = polynomial(z, -3.33332819422e-1f, 1.33314422036e-1f, -5.37397155531e-2f,
                       2.06390887954e-2f, -5.70498872745e-3f);
        y = y * z * size + size;
    }
    v_endif;
    return copysgn(y, x);
}

// 1 − erf |x|: t e^(polynomial of t − x²), t = 1 / (1 + |x| / 2)
SFPI_INLINE vFloat erfc_of_size(vFloat x) {
    const vFloat t = recip(1.0f + 0.5f * abs(x));
    const vFloat y = polynomial(t, -1.26551223f, 1.00002368f, 0.37409196f, 0.09678418f,
                                -0.18628806f, 0.27886807f, -1.13520398f, 1.48851587f,
                                -0.82215223f, 0.17087277f);
    return t * exp(y - x * x);
}
SFPI_INLINE vFloat erf(vFloat x) {
    vFloat y = 1.0f - erfc_of_size(x);
    v_if(abs(x) < 0.75f) {
        const vFloat z = x * x;
        y = polynomial(z, 1.12837917f, -3.76126389e-1f, 1.12837899e-1f, -2.6866036e-2f,
                       5.2232358e-3f, -8.5397e-4f, 1.206e-4f);
        y = y * abs(x);
    }
    v_endif;
    return copysgn(y, x);
}
SFPI_INLINE vFloat gelu(vFloat x) {
    vFloat y = 0.5f * x * erfc_of_size(x * 0.707106781f);
    v_if(x >= 0.0f) { y = x - y; }
    v_endif;
    return y;
}

// sin x = ± sin r, r = x − n π from −π/2 to π/2
SFPI_INLINE vFloat sin_reduced(vFloat r, vInt n) {
    const vFloat z = r * r;
    vFloat y = polynomial(z, -1.66666667e-1f, 8.33333310e-3f, -1.98412698e-4f, 2.7557319e-6f,
                          -2.5052108e-8f, 1.6059e-10f);
    y = y * z * r + r;
    return as<vFloat>(as<vUInt>(y) ^ as<vUInt>(n << 31));
}
SFPI_INLINE vFloat sin(vFloat x) {
    const Rounded n = round(x * 0.318309886f);
    const vFloat whole = n;
    vFloat r = x - whole * 3.140625f;
    r = r - whole * 9.67502593994140625e-4f;
    r = r - whole * 1.509957990978376432e-7f;
    return sin_reduced(r, n);
}
// cos x = sin(x + π/2): n counts from one half
SFPI_INLINE vFloat cos(vFloat x) {
    const Rounded n = round(x * 0.318309886f - 0.5f);
    const vFloat whole = vFloat(n) + 0.5f;
    vFloat r = x - whole * 3.140625f;
    r = r - whole * 9.67502593994140625e-4f;
    r = r - whole * 1.509957990978376432e-7f;
    return -sin_reduced(r, n);
}

SFPI_INLINE vFloat square(vFloat x) { return x * x; }
SFPI_INLINE vFloat negative(vFloat x) { return -x; }
SFPI_INLINE vFloat relu(vFloat x) {
    v_if(x < 0.0f) { x = 0.0f; }
    v_endif;
    return x;
}
SFPI_INLINE vFloat sign(vFloat x) {
    vFloat y = copysgn(vFloat(1.0f), x);
    v_if(is_zero(x)) { y = 0.0f; }
    v_endif;
    return y;
}

}  // namespace tilelab::vec

// A parameter that is a number is given by its bits, as tt-metal does.
[[gnu::always_inline]] inline float from_bits(uint32_t bits) {
    return __builtin_bit_cast(float, bits);
}

#define TILELAB_ACTIVATION(name, function)                                                         \
    [[gnu::always_inline]] inline void name##_tile_init() {}                                       \
    [[gnu::always_inline]] inline void name##_tile(uint32_t dst_index) {                           \
        vector_tile(dst_index, [] {                                                                \
            const sfpi::vFloat x = sfpi::dst_reg[0];                                               \
            sfpi::dst_reg[0] = tilelab::vec::function(x);                                          \
        });                                                                                        \
    }
TILELAB_ACTIVATION(abs, abs)
TILELAB_ACTIVATION(cos, cos)
TILELAB_ACTIVATION(erf, erf)
TILELAB_ACTIVATION(exp, exp)
TILELAB_ACTIVATION(gelu, gelu)
TILELAB_ACTIVATION(log, log)
TILELAB_ACTIVATION(negative, negative)
TILELAB_ACTIVATION(recip, recip)
TILELAB_ACTIVATION(relu, relu)
TILELAB_ACTIVATION(rsqrt, rsqrt)
TILELAB_ACTIVATION(sigmoid, sigmoid)
TILELAB_ACTIVATION(sign, sign)
TILELAB_ACTIVATION(silu, silu)
TILELAB_ACTIVATION(sin, sin)
TILELAB_ACTIVATION(sqrt, sqrt)
TILELAB_ACTIVATION(square, square)
TILELAB_ACTIVATION(tanh, tanh)
#undef TILELAB_ACTIVATION

// xⁿ for n ≥ 0
[[gnu::always_inline]] inline void power_tile_init() {}
[[gnu::always_inline]] inline void power_tile(uint32_t dst_index, uint32_t n) {
    vector_tile(dst_index, [n] {
        const sfpi::vFloat x = sfpi::dst_reg[0];
        sfpi::vFloat y = 1.0f;
        for (uint32_t i = 0; i < n; ++i) y = y * x;
        sfpi::dst_reg[0] = y;
    });
}

// The larger or the smaller of x and a number, given by its bits.
#define TILELAB_BESIDE(name, function)                                                             \
    [[gnu::always_inline]] inline void name##_tile_init() {}                                       \
    [[gnu::always_inline]] inline void name##_tile(uint32_t dst_index, uint32_t bits) {            \
        vector_tile(dst_index, [bits] {                                                            \
            const sfpi::vFloat x = sfpi::dst_reg[0];                                               \
            sfpi::dst_reg[0] = sfpi::function(x, from_bits(bits));                                 \
        });                                                                                        \
    }
TILELAB_BESIDE(unary_max, max)
TILELAB_BESIDE(unary_min, min)
#undef TILELAB_BESIDE

// Vectors of one tile are SFP_DESTREG_STRIDE rows apart, tiles TILE_VECTORS of them.
#define TILELAB_OF_TWO(name, function)                                                             \
    [[gnu::always_inline]] inline void name##_tile_init() {}                                       \
    [[gnu::always_inline]] inline void name##_tile(uint32_t in0, uint32_t in1, uint32_t out) {     \
        vector_tile(0, [=] {                                                                       \
            const sfpi::vFloat a = sfpi::dst_reg[in0 * tilelab::VECTORS_OF_TILE];                  \
            const sfpi::vFloat b = sfpi::dst_reg[in1 * tilelab::VECTORS_OF_TILE];                  \
            sfpi::dst_reg[out * tilelab::VECTORS_OF_TILE] = function;                              \
        });                                                                                        \
    }
TILELAB_OF_TWO(binary_max, sfpi::max(a, b))
TILELAB_OF_TWO(binary_min, sfpi::min(a, b))
TILELAB_OF_TWO(add_binary, a + b)
TILELAB_OF_TWO(sub_binary, a - b)
TILELAB_OF_TWO(mul_binary, a * b)
TILELAB_OF_TWO(div_binary, a * tilelab::vec::recip(b))
#undef TILELAB_OF_TWO

// Where `condition` is not 0 the datum of `yes`, elsewhere of `no`.
[[gnu::always_inline]] inline void where_tile_init() {}
[[gnu::always_inline]] inline void where_tile(uint32_t condition, uint32_t yes, uint32_t no,
                                              uint32_t out) {
    vector_tile(0, [=] {
        const sfpi::vFloat which = sfpi::dst_reg[condition * tilelab::VECTORS_OF_TILE];
        sfpi::vFloat y = sfpi::dst_reg[no * tilelab::VECTORS_OF_TILE];
        v_if(!sfpi::is_zero(which)) { y = sfpi::dst_reg[yes * tilelab::VECTORS_OF_TILE]; }
        v_endif;
        sfpi::dst_reg[out * tilelab::VECTORS_OF_TILE] = y;
    });
}
