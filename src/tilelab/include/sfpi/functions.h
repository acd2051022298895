// Functions on vectors: fields of floats, minimum and maximum, tables, conversions, shuffles.
#pragma once

#include <sfpi/registers.h>

namespace sfpi {

namespace impl {
template <typename T, typename... Bases> concept DerivedFrom = (__is_base_of(Bases, T) || ...);
template <typename A, typename B> inline constexpr bool same = __is_same(A, B);
template <typename T> struct Pair { T first, second; };
}  // namespace impl

// Fields of a float
enum class ExponentMode { Unbiased, Biased, Debias = Unbiased, NoDebias = Biased };
enum class MantissaMode { FractionOnly, WithUnitBit, ImplicitOne = WithUnitBit };

SFPI_INLINE vInt exexp(vFloat v, ExponentMode mode = ExponentMode::Unbiased) {
    return op::exexp(v.get(), mode == ExponentMode::Biased ? 1 : 0);
}
SFPI_INLINE vInt exexp_nodebias(vFloat v) { return exexp(v, ExponentMode::Biased); }
SFPI_INLINE vMag exman(vFloat v, MantissaMode mode = MantissaMode::FractionOnly) {
    return vMag(op::exman(v.get(), mode == MantissaMode::FractionOnly ? 1 : 0));
}
SFPI_INLINE vInt exman8(vFloat v) { return op::exman(v.get(), 0); }
SFPI_INLINE vInt exman9(vFloat v) { return op::exman(v.get(), 1); }
template <Vector T> SFPI_INLINE vUInt exsgn(T v) { return as<vUInt>(v) >> 31; }

SFPI_INLINE vFloat setexp(vFloat v, impl::Integer auto exponent) {
    return op::setexp_i(v.get(), uint32_t(exponent));
}
SFPI_INLINE vFloat setexp(vFloat v, vInt exponent) { return op::setexp(exponent.get(), v.get(), 0); }
SFPI_INLINE vFloat copyexp(vFloat v, vFloat from) { return op::setexp(from.get(), v.get(), 2); }
SFPI_INLINE vFloat addexp(vFloat v, int n) { return op::divp2(v.get(), n, SFPSDIVP2_MOD1_ADD); }

SFPI_INLINE vFloat setman(vFloat v, impl::Integer auto mantissa) {
    return op::setman_i(v.get(), uint32_t(mantissa));
}
template <impl::DerivedFrom<vUInt, vInt, vSMag, vFloat> T> SFPI_INLINE vFloat setman(vFloat v, T mantissa) {
    return op::setman(mantissa.get(), v.get(), 0);
}
SFPI_INLINE vFloat copyman(vFloat v, vFloat from) { return op::setman(from.get(), v.get(), 0); }

template <impl::DerivedFrom<vFloat, vSMag, vInt> T> SFPI_INLINE T setsgn(T v, impl::Integer auto sign) {
    return T(op::setsgn_i(v.get(), uint32_t(sign)));
}
SFPI_INLINE vSMag setsgn(vUInt v, impl::Integer auto sign) {
    return vSMag(op::setsgn_i(v.get(), uint32_t(sign)));
}
template <impl::DerivedFrom<vFloat, vSMag> T, Vector From> SFPI_INLINE T copysgn(T v, From sign) {
    return T(op::setsgn(sign.get(), v.get(), 0));
}
template <impl::DerivedFrom<vUInt, vInt> T, Vector From> SFPI_INLINE vSMag copysgn(T v, From sign) {
    return vSMag(op::setsgn(sign.get(), v.get(), 0));
}
template <Vector T, Vector From> SFPI_INLINE T setsgn(T v, From sign) {
    return T(op::setsgn(sign.get(), v.get(), 0));
}
// The sign is a lane's lowest bit.
template <impl::DerivedFrom<vFloat, vSMag> T, Vector From> SFPI_INLINE T setsgn2(T v, From sign) {
    return copysgn(v, as<vSMag>(as<vUInt>(sign) << 31));
}

SFPI_INLINE vFloat abs(vFloat v) { return op::abs(v.get(), SFPABS_MOD1_FLOAT); }
SFPI_INLINE vMag abs(vInt v) { return vMag(op::abs(v.get(), SFPABS_MOD1_INT)); }
SFPI_INLINE vMag abs(vSMag v) { return vMag(setsgn(v, 0).get()); }

enum class LZMode { All, IgnoreSign };
template <impl::DerivedFrom<vUInt, vInt, vSMag> T> SFPI_INLINE vMag lz(T v, LZMode mode = LZMode::All) {
    return vMag(op::lz(v.get(), mode == LZMode::IgnoreSign ? 4 : 0));
}
template <Vector T> SFPI_INLINE vInt lz_nosgn(T v) { return op::lz(v.get(), 4); }

enum class LdexpMode { Correct, Fast };
SFPI_INLINE vFloat ldexp(vFloat v, int n, LdexpMode = LdexpMode::Correct) { return addexp(v, n); }
SFPI_INLINE vFloat ldexp(vFloat v, vInt n, LdexpMode mode = LdexpMode::Correct) {
    if (mode == LdexpMode::Fast) return setexp(v, exexp(v, ExponentMode::Biased) + n);
    return v * setexp(vFloat(0.0f), n + 127);
}

// What kind of float
SFPI_INLINE vBool is_nan(vFloat v) { return exexp(v, ExponentMode::Biased) >= 255 && exman(v) != 0; }
SFPI_INLINE vBool is_inf(vFloat v) { return exexp(v, ExponentMode::Biased) >= 255 && exman(v) == 0; }
SFPI_INLINE vBool is_finite(vFloat v) { return exexp(v, ExponentMode::Biased) < 255; }
SFPI_INLINE vBool is_subnormal(vFloat v) { return exexp(v, ExponentMode::Biased) == 0 && exman(v) != 0; }
SFPI_INLINE vBool is_zero(vFloat v) { return (as<vUInt>(v) << 1) == 0; }
SFPI_INLINE vBool is_pos(vFloat v) { return as<vInt>(v) >= 0; }
SFPI_INLINE vBool is_neg(vFloat v) { return as<vInt>(v) < 0; }
SFPI_INLINE vBool is_normal(vFloat v) {
    const vInt exponent = exexp(v, ExponentMode::Biased);
    return exponent < 255 && exponent != 0;
}
// A comparison whose sides are near enough for their difference not to overflow: all are here.
SFPI_INLINE vBool nearby(vBool c) { return c; }

// Shifts: to the right where the amount is negative
enum class ShiftMode { Logical, Arithmetic };
SFPI_INLINE vUInt shft(vUInt v, vInt n, ShiftMode mode = ShiftMode::Logical) {
    return op::shift(v.get(), n.get(), mode == ShiftMode::Arithmetic ? 2 : 0);
}
SFPI_INLINE vUInt shft(vUInt v, impl::Integer auto n, ShiftMode mode = ShiftMode::Logical) {
    return op::shift_i(v.get(), int32_t(n), mode == ShiftMode::Arithmetic ? 2 : 0);
}
constexpr ShiftMode SIGNED_SHIFT = SFPI_WORMHOLE ? ShiftMode::Logical : ShiftMode::Arithmetic;
SFPI_INLINE vInt shft(vInt v, vInt n, ShiftMode mode = SIGNED_SHIFT) {
    return op::shift(v.get(), n.get(), mode == ShiftMode::Arithmetic ? 2 : 0);
}
SFPI_INLINE vInt shft(vInt v, impl::Integer auto n, ShiftMode mode = SIGNED_SHIFT) {
    return op::shift_i(v.get(), int32_t(n), mode == ShiftMode::Arithmetic ? 2 : 0);
}

// Minimum and maximum, of floats and of sign-magnitude integers, by bits as comparisons are.
// Bit n of the mask, one for each eight lanes: the maximum comes first there. Of a mask and its
// complement the hardware has one; the other gives the same two values, the other way round.
template <impl::DerivedFrom<vFloat, vSMag> T>
SFPI_INLINE impl::Pair<T> min_max(T a, T b, unsigned mask = 0) {
    const bool other_way = mask == 15 || mask == 1 || mask == 2 || mask == 4 || mask == 8 || mask == 3 ||
                           mask == 5 || mask == 9;
    const unsigned first = (other_way ? ~mask : mask) & 15;
    const unsigned mod1 = first == 12   ? SFPSWAP_MOD1_SUBVEC_MIN01_MAX23
                          : first == 10 ? SFPSWAP_MOD1_SUBVEC_MIN02_MAX13
                          : first == 6  ? SFPSWAP_MOD1_SUBVEC_MIN03_MAX12
                          : first == 14 ? SFPSWAP_MOD1_SUBVEC_MIN0_MAX123
                          : first == 13 ? SFPSWAP_MOD1_SUBVEC_MIN1_MAX023
                          : first == 11 ? SFPSWAP_MOD1_SUBVEC_MIN2_MAX013
                          : first == 7  ? SFPSWAP_MOD1_SUBVEC_MIN3_MAX012
                                        : SFPSWAP_MOD1_VEC_MIN_MAX;
    const op::pair r = op::swap(a.get(), b.get(), mod1);
    return other_way ? impl::Pair<T>{T(r.second), T(r.first)} : impl::Pair<T>{T(r.first), T(r.second)};
}
template <impl::DerivedFrom<vFloat, vSMag> T> SFPI_INLINE T min(T a, T b) {
    return T(op::swap(a.get(), b.get(), SFPSWAP_MOD1_VEC_MIN_MAX).first);
}
template <impl::DerivedFrom<vFloat, vSMag> T> SFPI_INLINE T max(T a, T b) {
    return T(op::swap(a.get(), b.get(), SFPSWAP_MOD1_VEC_MIN_MAX).second);
}
SFPI_INLINE vFloat min(vFloat a, float b) { return min(a, vFloat(b)); }
SFPI_INLINE vFloat max(vFloat a, float b) { return max(a, vFloat(b)); }
// Unsigned: sign-magnitude order is the other way round where the top bit is set.
SFPI_INLINE vUInt min(vUInt a, unsigned b) {
    if (int32_t(b) >= 0) return ~as<vUInt>(min(as<vSMag>(~a), as<vSMag>(~vUInt(b))));
    return as<vUInt>(max(as<vSMag>(a), as<vSMag>(vUInt(b))));
}
SFPI_INLINE vUInt max(vUInt a, unsigned b) {
    if (int32_t(b) >= 0) return ~as<vUInt>(max(as<vSMag>(~a), as<vSMag>(~vUInt(b))));
    return as<vUInt>(min(as<vSMag>(a), as<vSMag>(vUInt(b))));
}
template <impl::DerivedFrom<vFloat, vSMag> T> SFPI_INLINE T clamp(T v, T low, T high) {
    return min(max(v, low), high);
}
SFPI_INLINE vFloat clamp(vFloat v, float low, float high) { return min(max(v, low), high); }
SFPI_INLINE vUInt clamp(vUInt v, unsigned low, unsigned high) { return min(max(v, low), high); }
SFPI_INLINE vFloat symmetric_clamp(vFloat v, float bound) { return copysgn(min(abs(v), bound), v); }
template <Vector T> SFPI_INLINE void swap(T& a, T& b) {
    const op::pair r = op::swap(a.get(), b.get(), SFPSWAP_MOD1_SWAP);
    a = T(r.first), b = T(r.second);
}
template <Vector T> SFPI_INLINE void vec_swap(T& a, T& b) { swap(a, b); }
template <Vector T> SFPI_INLINE void vec_min_max(T& a, T& b) {
    const op::pair r = op::swap(a.get(), b.get(), SFPSWAP_MOD1_VEC_MIN_MAX);
    a = T(r.first), b = T(r.second);
}
SFPI_INLINE vFloat rectified_linear_unit(vFloat v) { return max(v, 0.0f); }

// Nearest integer of |v| < 2²², as a float and as an integer
struct Rounded {
    vFloat first;
    vInt second;
    SFPI_INLINE operator vFloat() const { return first; }
    SFPI_INLINE operator vInt() const { return second; }
};
SFPI_INLINE Rounded round(vFloat v) {
    const vFloat magic = 0x1.8p23f, shifted = v + magic;
    return {shifted - magic, as<vInt>(shifted) - as<vInt>(magic)};
}

template <typename First> SFPI_INLINE vFloat polynomial(vFloat, First c0) { return vFloat(c0); }
template <typename First, typename... Rest>
SFPI_INLINE vFloat polynomial(vFloat x, First c0, Rest... rest) {
    const vFloat others = x * polynomial(x, rest...);
    return others + vFloat(c0);
}

#if !SFPI_WORMHOLE
// 23-bit integers: the low or the high 23 bits of their product
enum class FractionalHalf { Low, High };
template <Vector A, Vector B>
SFPI_INLINE vMag fractional_mul(A a, B b, FractionalHalf half = FractionalHalf::Low) {
    return vMag(op::mul24(a.get(), b.get(), half == FractionalHalf::High ? 1 : 0));
}
enum class RecipMode { All, IfNegative };
SFPI_INLINE vFloat approx_recip(vFloat v, RecipMode mode = RecipMode::All) {
    return op::arecip(v.get(), mode == RecipMode::IfNegative ? 1 : 0);
}
SFPI_INLINE vFloat approx_exp(vFloat v) { return op::arecip(v.get(), SFPARECIP_MOD1_EXP); }
SFPI_INLINE vInt rand() { return op::read_config(SFPCONFIG_SRC_RAND); }
#endif

// Shuffles within each eight lanes; and the transposition of four vectors' rows
SFPI_INLINE op::vec subvec_shflror1(const vVal& v) { return op::shuffle(v.get(), 3); }
SFPI_INLINE op::vec subvec_shflshr1(const vVal& v) { return op::shuffle(v.get(), 4); }
template <Vector T> SFPI_INLINE void subvec_transp(T& a, T& b, T& c, T& d) {
    const op::quad r = op::transpose(a.get(), b.get(), c.get(), d.get());
    a = T(r.a), b = T(r.b), c = T(r.c), d = T(r.d);
}

}  // namespace sfpi
