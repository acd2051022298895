// More functions of one tile in Dst, as activations.h has them: some beside numbers, which are given
// by their bits, and questions, whose answer is 1 or 0.
#pragma once

#include <tilelab/activations.h>

namespace tilelab::vec {

// Whole numbers, exactly: digits behind the point are cut off by their place.
SFPI_INLINE vFloat trunc(vFloat x) {
    const vInt e = exexp(x);
    vFloat y = x;
    v_if(e < 0) { y = copysgn(vFloat(0.0f), x); }
    v_elseif(e < 23) { y = as<vFloat>(as<vUInt>(x) & shft(vUInt(0xFFFFFFFFu), 23 - e)); }
    v_endif;
    return y;
}
SFPI_INLINE vFloat frac(vFloat x) { return x - trunc(x); }

// Whether a < b, a = b: of NaN neither, and -0 = 0. The unit's order of bits has -0 < 0.
SFPI_INLINE vFloat less(vFloat a, vFloat b) {
    vFloat y = 0.0f;
    v_if(as<vInt>(min(a, b)) == as<vInt>(a) && as<vInt>(a) != as<vInt>(b) &&
         size_bits(a) <= INFINITE && size_bits(b) <= INFINITE) { y = 1.0f; }
    v_endif;
    v_if(is_zero(a) && is_zero(b)) { y = 0.0f; }
    v_endif;
    return y;
}
SFPI_INLINE vFloat equal(vFloat a, vFloat b) {
    vFloat y = 0.0f;
    v_if(as<vInt>(a) == as<vInt>(b) && size_bits(a) <= INFINITE) { y = 1.0f; }
    v_elseif(is_zero(a) && is_zero(b)) { y = 1.0f; }
    v_endif;
    return y;
}
SFPI_INLINE vFloat unequal(vFloat a, vFloat b) { return 1.0f - equal(a, b); }
SFPI_INLINE vFloat less_or_equal(vFloat a, vFloat b) { return less(a, b) + equal(a, b); }

SFPI_INLINE vFloat floor(vFloat x) {
    const vFloat y = trunc(x);
    return unless_nan(x, y - less(x, y));
}
SFPI_INLINE vFloat ceil(vFloat x) {
    const vFloat y = trunc(x);
    return unless_nan(x, y + less(y, x));
}

SFPI_INLINE vFloat identity(vFloat x) { return x; }

// eˣ − 1: near 0 by its series, as the difference would have no digits left.
SFPI_INLINE vFloat expm1(vFloat x) {
    vFloat y = exp(x) - 1.0f;
    v_if(size_bits(x) < 0x3F000000) {
        y = polynomial(x, 1.0f, 5.0e-1f, 1.66666667e-1f, 4.16666667e-2f, 8.33333333e-3f,
                       1.38888889e-3f, 1.98412698e-4f, 2.4801587e-5f) * x;
    }
    v_endif;
    return unless_nan(x, y);
}
// ln(1 + x): what 1 + x lost to rounding is added again, divided by 1 + x.
SFPI_INLINE vFloat log1p(vFloat x) {
    const vFloat u = 1.0f + x;
    vFloat y = log(u);
    v_if(size_bits(x) < 0x4B000000 && u > 0.0f) { y = y + (x - (u - 1.0f)) * recip_normal(u); }
    v_endif;
    return unless_nan(x, y);
}
// 2ⁿ e^(r ln 2) with |r| ≤ ½: x − n is exact.
SFPI_INLINE vFloat exp2(vFloat x) {
    const Rounded n = round(clamp(x, -200.0f, 200.0f));
    const vFloat r = (x - vFloat(n)) * 0.693147181f;
    vFloat y = exp_reduced(r, n);
    v_if(x < -126.0f) { y = 0.0f; }
    v_elseif(x >= 128.0f) { y = infinity(); }
    v_endif;
    return unless_nan(x, y);
}
// 1 − erf x, without the difference where that is small.
SFPI_INLINE vFloat erfc(vFloat x) {
    const vFloat size = min(abs(x), 9.3f);
    const vFloat high = as<vFloat>(as<vUInt>(size) & 0xFFFFF000u);
    const vFloat tail = erfc_positive(size, -high * high, (high - size) * (size + high), 1.0f);
    vFloat y = 2.0f - tail;
    v_if(x > 0.5f) { y = tail; }
    v_elseif(size < 0.75f) { y = 1.0f - erf(x); }
    v_endif;
    v_if(x >= 9.3f) { y = 0.0f; }
    v_endif;
    return unless_nan(x, y);
}
// x tanh(ln(1 + eˣ)) = x w / (w + 2) with w = eˣ (eˣ + 2)
SFPI_INLINE vFloat mish(vFloat x) {
    const vFloat e = exp_normal(clamp(x, -87.0f, 20.0f));
    const vFloat w = e * (e + 2.0f);
    vFloat y = x * w * recip_normal(w + 2.0f);
    v_if(x > 20.0f) { y = x; }
    v_elseif(x < -87.0f) { y = 0.0f; }
    v_endif;
    return unless_nan(x, y);
}
SFPI_INLINE vFloat softsign(vFloat x) {
    vFloat y = x * recip_normal(1.0f + abs(x));
    v_if(size_bits(x) > 0x7E000000) { y = copysgn(vFloat(1.0f), x); }
    v_endif;
    return unless_nan(x, y);
}
SFPI_INLINE vFloat hardsigmoid(vFloat x) {
    return unless_nan(x, clamp((x + 3.0f) * 0.166666667f, 0.0f, 1.0f));
}

#define TILELAB_QUESTION(name, condition)                                                          \
    SFPI_INLINE vFloat name(vFloat x) {                                                            \
        vFloat y = 0.0f;                                                                           \
        v_if(condition) { y = 1.0f; }                                                              \
        v_endif;                                                                                   \
        return y;                                                                                  \
    }
TILELAB_QUESTION(isinf, size_bits(x) == INFINITE)
TILELAB_QUESTION(isposinf, as<vInt>(x) == INFINITE)
TILELAB_QUESTION(isneginf, size_bits(x) == INFINITE && as<vInt>(x) < 0)
TILELAB_QUESTION(isnan, size_bits(x) > INFINITE)
TILELAB_QUESTION(isfinite, size_bits(x) < INFINITE)
TILELAB_QUESTION(signbit, as<vInt>(x) < 0)
#undef TILELAB_QUESTION

// Beside numbers.
SFPI_INLINE vFloat elu(vFloat x, vFloat alpha) {
    vFloat y = x;
    v_if(x < 0.0f) { y = expm1(x) * alpha; }
    v_endif;
    return unless_nan(x, y);
}
SFPI_INLINE vFloat selu(vFloat x, vFloat scale, vFloat alpha) {
    return unless_nan(x, elu(x, alpha) * scale);
}
SFPI_INLINE vFloat leaky_relu(vFloat x, vFloat slope) {
    v_if(x < 0.0f) { x = x * slope; }
    v_endif;
    return x;
}
SFPI_INLINE vFloat relu_min(vFloat x, vFloat least) { return unless_nan(x, max(x, least)); }
SFPI_INLINE vFloat relu_max(vFloat x, vFloat most) { return relu(min(x, most)); }
SFPI_INLINE vFloat heaviside(vFloat x, vFloat at_zero) {
    vFloat y = 1.0f;
    v_if(is_zero(x)) { y = at_zero; }
    v_elseif(x < 0.0f) { y = 0.0f; }
    v_endif;
    return unless_nan(x, y);
}
SFPI_INLINE vFloat softshrink(vFloat x, vFloat lambda) {
    vFloat y = 0.0f;
    v_if(less(lambda, x) > 0.5f) { y = x - lambda; }
    v_elseif(less(x, -lambda) > 0.5f) { y = x + lambda; }
    v_endif;
    return unless_nan(x, y);
}
SFPI_INLINE vFloat hardshrink(vFloat x, vFloat lambda) {
    vFloat y = x;
    v_if(less_or_equal(abs(x), lambda) > 0.5f) { y = 0.0f; }
    v_endif;
    return y;
}
SFPI_INLINE vFloat celu(vFloat x, vFloat alpha, vFloat alpha_recip) {
    vFloat y = x;
    v_if(x < 0.0f) { y = expm1(x * alpha_recip) * alpha; }
    v_endif;
    return unless_nan(x, y);
}
SFPI_INLINE vFloat within(vFloat x, vFloat least, vFloat most) {
    return unless_nan(x, min(max(x, least), most));
}
SFPI_INLINE vFloat threshold(vFloat x, vFloat limit, vFloat value) {
    v_if(less_or_equal(x, limit) > 0.5f) { x = value; }
    v_endif;
    return x;
}
// ln(1 + e^(beta x)) / beta; from the limit of beta x on, x.
SFPI_INLINE vFloat softplus(vFloat x, float beta, float beta_recip, float limit) {
    vFloat y = log1p(exp(x * beta)) * beta_recip;
    v_if(x * beta - limit > 0.0f) { y = x; }
    v_endif;
    return unless_nan(x, y);
}

}  // namespace tilelab::vec

#define TILELAB_FUNCTION(name, parameters, ...)                                                    \
    template <auto...>                                                                             \
    [[gnu::always_inline]] inline void name##_tile_init() {}                                       \
    template <auto...>                                                                             \
    [[gnu::always_inline]] inline void name##_tile(uint32_t dst_index TILELAB_##parameters) {      \
        vector_tile(dst_index, [=] {                                                               \
            using namespace sfpi;                                                                  \
            const vFloat x = dst_reg[0];                                                           \
            dst_reg[0] = tilelab::vec::__VA_ARGS__;                                                \
        });                                                                                        \
    }
#define TILELAB_NONE
#define TILELAB_ONE , uint32_t a
#define TILELAB_BOTH , uint32_t a, uint32_t b
#define TILELAB_THREE , uint32_t a, uint32_t b, uint32_t c
#define TILELAB_FLOAT(bits) ckernel::sfpu::Converter::as_float(bits)
#define TILELAB_NUMBER(bits) vFloat(TILELAB_FLOAT(bits))

TILELAB_FUNCTION(erfc, NONE, erfc(x))
TILELAB_FUNCTION(exp2, NONE, exp2(x))
TILELAB_FUNCTION(expm1, NONE, expm1(x))
TILELAB_FUNCTION(hardsigmoid, NONE, hardsigmoid(x))
TILELAB_FUNCTION(identity, NONE, identity(x))
TILELAB_FUNCTION(isfinite, NONE, isfinite(x))
TILELAB_FUNCTION(isinf, NONE, isinf(x))
TILELAB_FUNCTION(isnan, NONE, isnan(x))
TILELAB_FUNCTION(isneginf, NONE, isneginf(x))
TILELAB_FUNCTION(isposinf, NONE, isposinf(x))
TILELAB_FUNCTION(log1p, NONE, log1p(x))
TILELAB_FUNCTION(mish, NONE, mish(x))
TILELAB_FUNCTION(signbit, NONE, signbit(x))
TILELAB_FUNCTION(softsign, NONE, softsign(x))

TILELAB_FUNCTION(elu, ONE, elu(x, TILELAB_NUMBER(a)))
TILELAB_FUNCTION(hardshrink, ONE, hardshrink(x, TILELAB_NUMBER(a)))
TILELAB_FUNCTION(heaviside, ONE, heaviside(x, TILELAB_NUMBER(a)))
TILELAB_FUNCTION(leaky_relu, ONE, leaky_relu(x, TILELAB_NUMBER(a)))
TILELAB_FUNCTION(prelu, ONE, leaky_relu(x, TILELAB_NUMBER(a)))
TILELAB_FUNCTION(relu_max, ONE, relu_max(x, TILELAB_NUMBER(a)))
TILELAB_FUNCTION(relu_min, ONE, relu_min(x, TILELAB_NUMBER(a)))
TILELAB_FUNCTION(softshrink, ONE, softshrink(x, TILELAB_NUMBER(a)))
TILELAB_FUNCTION(unary_eq, ONE, equal(x, TILELAB_NUMBER(a)))
TILELAB_FUNCTION(unary_ge, ONE, less_or_equal(TILELAB_NUMBER(a), x))
TILELAB_FUNCTION(unary_gt, ONE, less(TILELAB_NUMBER(a), x))
TILELAB_FUNCTION(unary_le, ONE, less_or_equal(x, TILELAB_NUMBER(a)))
TILELAB_FUNCTION(unary_lt, ONE, less(x, TILELAB_NUMBER(a)))
TILELAB_FUNCTION(unary_ne, ONE, unequal(x, TILELAB_NUMBER(a)))

TILELAB_FUNCTION(celu, BOTH, celu(x, TILELAB_NUMBER(a), TILELAB_NUMBER(b)))
TILELAB_FUNCTION(clamp, BOTH, within(x, TILELAB_NUMBER(a), TILELAB_NUMBER(b)))
TILELAB_FUNCTION(hardtanh, BOTH, within(x, TILELAB_NUMBER(a), TILELAB_NUMBER(b)))
TILELAB_FUNCTION(selu, BOTH, selu(x, TILELAB_NUMBER(a), TILELAB_NUMBER(b)))
TILELAB_FUNCTION(threshold, BOTH, threshold(x, TILELAB_NUMBER(a), TILELAB_NUMBER(b)))

TILELAB_FUNCTION(softplus, THREE,
                 softplus(x, TILELAB_FLOAT(a), TILELAB_FLOAT(b), TILELAB_FLOAT(c)))

// Of these one init serves all.
TILELAB_FUNCTION(ceil, NONE, ceil(x))
TILELAB_FUNCTION(floor, NONE, floor(x))
TILELAB_FUNCTION(frac, NONE, frac(x))
TILELAB_FUNCTION(trunc, NONE, trunc(x))
[[gnu::always_inline]] inline void rounding_op_tile_init() {}
#undef TILELAB_FUNCTION
#undef TILELAB_NONE
#undef TILELAB_ONE
#undef TILELAB_BOTH
#undef TILELAB_THREE
#undef TILELAB_NUMBER
#undef TILELAB_FLOAT
