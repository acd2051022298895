// Functions of one vector, and the compute API's names for them: exp_tile_init(); exp_tile(dst); …
//
// All are made for 32-bit numbers; docs/activations.md says how far each is from the exact result.
#pragma once

#include <tilelab/sfpu_calls.h>

namespace tilelab::vec {

using namespace sfpi;

SFPI_INLINE vFloat infinity() { return as<vFloat>(vInt(0x7F800000)); }
SFPI_INLINE vFloat not_a_number() { return as<vFloat>(vInt(0x7FC00000)); }

// Numbers' sizes are ordered as the bits behind the sign are: NaN's are the largest, and what is
// below SMALLEST is zero to this unit.
constexpr int SMALLEST = 0x00800000, INFINITE = 0x7F800000;
SFPI_INLINE vInt size_bits(vFloat x) { return as<vInt>(setsgn(x, 0)); }  // abs leaves -NaN

// y, but NaN where x is NaN.
SFPI_INLINE vFloat unless_nan(vFloat x, vFloat y) {
    v_if(size_bits(x) > INFINITE) { y = x; }
    v_endif;
    return y;
}

// 1 / |x| from 2^-126 to 2^126: of the mantissa, 1 ≤ m < 2, a first guess from the bits, then
// Newton's method; each step doubles the digits. The exponent is subtracted at the end.
SFPI_INLINE vFloat recip_normal(vFloat x) {
    const vFloat m = setsgn(setexp(x, 127), 0);
    vFloat y = as<vFloat>(vInt(0x7EF311C7) - as<vInt>(m));
    y = y * (2.0f - m * y);
    y = y * (2.0f - m * y);
    y = y + y * (1.0f - m * y);
    return as<vFloat>(as<vInt>(y) - (exexp(x) << 23));
}
SFPI_INLINE vFloat recip(vFloat x) {
    vFloat y = recip_normal(x);
    v_if(size_bits(x) < SMALLEST) { y = infinity(); }
    v_elseif(size_bits(x) > 0x7E800000) { y = 0.0f; }  // the result is below SMALLEST
    v_endif;
    return unless_nan(x, copysgn(y, x));
}

// 1 / √x for x > 0, likewise; √x × y first, for x / 2 may be zero.
SFPI_INLINE vFloat rsqrt_positive(vFloat x) {
    vFloat y = as<vFloat>(vInt(0x5F375A86) - as<vInt>(as<vUInt>(x) >> 1));
    y = y * (1.5f + x * y * (y * -0.5f));
    y = y * (1.5f + x * y * (y * -0.5f));
    y = y + y * (0.5f + x * y * (y * -0.5f));
    return y;
}
SFPI_INLINE vFloat rsqrt(vFloat x) {
    vFloat y = rsqrt_positive(x);
    v_if(size_bits(x) < SMALLEST) { y = copysgn(infinity(), x); }
    v_elseif(as<vInt>(x) < 0) { y = not_a_number(); }
    v_elseif(as<vInt>(x) == INFINITE) { y = 0.0f; }
    v_endif;
    return unless_nan(x, y);
}

// y for positive numbers, y0 for zero; infinity and NaN stay, of negative numbers it is NaN.
SFPI_INLINE vFloat of_positive(vFloat x, vFloat y, vFloat y0) {
    v_if(size_bits(x) < SMALLEST) { y = y0; }
    v_elseif(as<vInt>(x) < 0) { y = not_a_number(); }
    v_elseif(as<vInt>(x) >= INFINITE) { y = x; }
    v_endif;
    return y;
}
SFPI_INLINE vFloat sqrt(vFloat x) {
    const vFloat y = rsqrt_positive(x), root = x * y;
    return of_positive(x, root + 0.5f * y * (x - root * root), x * 0.0f);
}

// e^(a + b) for a + b from LEAST_EXP to LIMIT_EXP: 2ⁿ eʳ with |r| ≤ ln 2 / 2. A sum that would be
// rounded is given in two parts, the second being small.
constexpr float LEAST_EXP = -87.3365402f, LIMIT_EXP = 88.7228394f;
SFPI_INLINE vFloat exp_reduced(vFloat r, vInt n) {
    vFloat y = polynomial(r, 5.0000001201e-1f, 1.6666665459e-1f, 4.1665795894e-2f,
                          8.3334519073e-3f, 1.3981999507e-3f, 1.9875691500e-4f);
    y = y * r * r + r + 1.0f;
    return as<vFloat>(as<vInt>(y) + (n << 23));
}
SFPI_INLINE vFloat less_ln2_times(vFloat x, vFloat n) {
    const vFloat r = x - n * 0.693359375f;
    return r + n * 2.12194440e-4f;
}
SFPI_INLINE vFloat exp_normal(vFloat x) {
    const Rounded n = round(x * 1.44269504f);
    return exp_reduced(less_ln2_times(x, n), n);
}
SFPI_INLINE vFloat exp_normal(vFloat a, vFloat b) {
    const Rounded n = round((a + b) * 1.44269504f);
    return exp_reduced(less_ln2_times(a, n) + b, n);
}
SFPI_INLINE vFloat exp(vFloat x) {
    vFloat y = exp_normal(x);
    v_if(x < LEAST_EXP) { y = 0.0f; }
    v_elseif(x >= LIMIT_EXP) { y = infinity(); }
    v_endif;
    return unless_nan(x, y);
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
    return of_positive(x, y, -infinity());
}

// Below −87.3 the result is less than the least number.
SFPI_INLINE vFloat sigmoid(vFloat x) {
    vFloat y = recip_normal(1.0f + exp_normal(-clamp(x, -87.33f, 87.33f)));
    v_if(x < -87.33f) { y = 0.0f; }
    v_endif;
    return unless_nan(x, y);
}
SFPI_INLINE vFloat silu(vFloat x) { return max(x, -88.0f) * sigmoid(x); }

SFPI_INLINE vFloat tanh(vFloat x) {
    const vFloat size = min(abs(x), 10.0f);
    vFloat y = 1.0f - 2.0f * recip_normal(exp_normal(size + size) + 1.0f);
    v_if(size < 0.625f) {
        const vFloat z = size * size;
        y = polynomial(z, -3.33332819422e-1f, 1.33314422036e-1f, -5.37397155531e-2f,
                       2.06390887954e-2f, -5.70498872745e-3f);
        y = y * z * size + size;
    }
    v_endif;
    return unless_nan(x, copysgn(y, x));
}

// (1 − erf z) × factor for z ≥ 0: t e^(polynomial of t − z²), t = 1 / (1 + z / 2); −z² = a + b, b
// small
SFPI_INLINE vFloat erfc_positive(vFloat z, vFloat a, vFloat b, vFloat factor) {
    const vFloat t = recip_normal(1.0f + 0.5f * z);
    const vFloat y = polynomial(t, -1.26551223f, 1.00002368f, 0.37409196f, 0.09678418f,
                                -0.18628806f, 0.27886807f, -1.13520398f, 1.48851587f,
                                -0.82215223f, 0.17087277f);
    return t * factor * exp_normal(a, y + b);
}
SFPI_INLINE vFloat erf(vFloat x) {
    const vFloat size = min(abs(x), 4.0f);
    vFloat y = 1.0f - erfc_positive(size, -size * size, 0.0f, 1.0f);
    v_if(size < 0.75f) {
        const vFloat z = size * size;
        y = polynomial(z, 1.12837917f, -3.76126389e-1f, 1.12837899e-1f, -2.6866036e-2f,
                       5.2232358e-3f, -8.5397e-4f, 1.206e-4f);
        y = y * size;
    }
    v_endif;
    return unless_nan(x, copysgn(y, x));
}
// Below −13.13 the result is less than the least number. x² / 2 is taken in two parts, of which the
// first is exact: an error of 2^-24 of it would be one of 2^-18 of the result.
SFPI_INLINE vFloat gelu(vFloat x) {
    const vFloat size = min(abs(x), 13.13f);
    const vFloat high = as<vFloat>(as<vUInt>(size) & 0xFFFFF000u);
    const vFloat low = (size - high) * (size + high) * -0.5f;
    const vFloat z = size * 0.707106781f;
    const vFloat tail = erfc_positive(z, high * high * -0.5f, low, size * 0.5f);
    vFloat y = -tail;
    v_if(x < -13.13f) { y = 0.0f; }
    v_elseif(x >= 0.0f) { y = x - tail; }
    v_endif;
    return unless_nan(x, y);
}

// sin x = ± sin r, r = x − n π from −π/2 to π/2. n and π are split so that products are exact. NaN
// from 2²³ on, where numbers are a third of a period apart.
SFPI_INLINE vFloat less_pi_times(vFloat x, vFloat n) {
    const vFloat high = as<vFloat>(as<vUInt>(n) & 0xFFFFF000u), low = n - high;
    vFloat r = x - high * 3.140625f;
    r = r - low * 3.140625f;
    r = r - high * 0x1.fb4p-11f;
    r = r - low * 0x1.fb4p-11f;
    return r - n * 0x1.4442d2p-23f;
}
SFPI_INLINE vFloat sin_reduced(vFloat r, vInt n, vFloat x) {
    const vFloat z = r * r;
    vFloat y = polynomial(z, -1.66666667e-1f, 8.33333310e-3f, -1.98412698e-4f, 2.7557319e-6f,
                          -2.5052108e-8f, 1.6059e-10f);
    y = y * z * r + r;
    y = as<vFloat>(as<vUInt>(y) ^ as<vUInt>(n << 31));
    v_if(size_bits(x) >= 0x4B000000) { y = not_a_number(); }
    v_endif;
    return y;
}
SFPI_INLINE vFloat sin(vFloat x) {
    const Rounded n = round(x * 0.318309886f);
    return sin_reduced(less_pi_times(x, n), n, x);
}
// cos x = sin(x + π/2): n counts from one half
SFPI_INLINE vFloat cos(vFloat x) {
    const Rounded n = round(x * 0.318309886f - 0.5f);
    return -sin_reduced(less_pi_times(x, vFloat(n) + 0.5f), n, x);
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
    return unless_nan(x, y);
}

}  // namespace tilelab::vec

// The vendor's template arguments ask for approximations; there are none here. special.h has more.
enum class InputClamping : uint8_t { ClampToNegative = 1, None = 0 };
#define TILELAB_ACTIVATION(name, function)                                                         \
    template <auto...>                                                                             \
    [[gnu::always_inline]] inline void name##_tile_init() {}                                       \
    template <auto...>                                                                             \
    [[gnu::always_inline]] inline void name##_tile(uint32_t dst_index,                             \
                                                   VectorMode = VectorMode::RC) {                  \
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
[[gnu::always_inline]] inline void power_iterative_tile_init() {}
[[gnu::always_inline]] inline void power_iterative_tile(uint32_t dst_index, uint32_t n) {
    power_tile(dst_index, n);
}

// The larger or the smaller of x and a number, given by its bits.
#define TILELAB_BESIDE(name, function)                                                             \
    [[gnu::always_inline]] inline void name##_tile_init() {}                                       \
    [[gnu::always_inline]] inline void name##_tile(uint32_t dst_index, uint32_t bits) {            \
        vector_tile(dst_index, [bits] {                                                            \
            const sfpi::vFloat x = sfpi::dst_reg[0];                                               \
            sfpi::dst_reg[0] = sfpi::function(x, ckernel::sfpu::Converter::as_float(bits));                                 \
        });                                                                                        \
    }
TILELAB_BESIDE(unary_max, max)
TILELAB_BESIDE(unary_min, min)
#undef TILELAB_BESIDE

// Of two tiles a and b of Dst; several_tiles.h has more of these.
#define TILELAB_OF_TWO(name, ...)                                                                  \
    template <auto...>                                                                             \
    [[gnu::always_inline]] inline void name##_tile_init() {}                                       \
    template <auto...>                                                                             \
    [[gnu::always_inline]] inline void name##_tile(uint32_t in0, uint32_t in1, uint32_t out,       \
                                                   VectorMode = VectorMode::RC) {                  \
        vector_tile(0, [=] {                                                                       \
            const sfpi::vFloat a = tilelab::vector_of(in0), b = tilelab::vector_of(in1);           \
            tilelab::vector_of(out) = __VA_ARGS__;                                                 \
        });                                                                                        \
    }
TILELAB_OF_TWO(binary_max, sfpi::max(a, b))
TILELAB_OF_TWO(binary_min, sfpi::min(a, b))
TILELAB_OF_TWO(add_binary, a + b)
TILELAB_OF_TWO(sub_binary, a - b)
TILELAB_OF_TWO(mul_binary, a * b)
TILELAB_OF_TWO(div_binary, a * tilelab::vec::recip(b))

// Where `condition` is not 0 the datum of `yes`, elsewhere of `no`.
[[gnu::always_inline]] inline void where_tile_init() {}
template <auto...>
[[gnu::always_inline]] inline void where_tile(uint32_t condition, uint32_t yes, uint32_t no,
                                              uint32_t out) {
    vector_tile(0, [=] {
        const sfpi::vFloat which = tilelab::vector_of(condition);
        sfpi::vFloat y = tilelab::vector_of(no);
        v_if(!sfpi::is_zero(which)) { y = tilelab::vector_of(yes); }
        v_endif;
        tilelab::vector_of(out) = y;
    });
}
