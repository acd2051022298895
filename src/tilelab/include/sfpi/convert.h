// Conversions between number formats, and tables of linear pieces.
#pragma once

#include <sfpi/functions.h>

namespace sfpi {

enum class RoundMode {
    Nearest, NearestAway = Nearest, NearestEven = Nearest, NearestStochastic, Stochastic = NearestStochastic, Zero
};

namespace impl {

constexpr unsigned rounding(RoundMode mode) {
    return mode == RoundMode::NearestStochastic ? 1 : mode == RoundMode::Zero ? 2 : 0;
}
template <typename> inline constexpr bool unknown = false;

template <typename To> constexpr unsigned narrowing() {
    if constexpr (same<To, vFloat16a>) return SFPSTOCHRND_MOD1_FP32_TO_FP16A;
    else if constexpr (same<To, vFloat16b>) return SFPSTOCHRND_MOD1_FP32_TO_FP16B;
    else if constexpr (same<To, vUInt8>) return SFPSTOCHRND_MOD1_FP32_TO_UINT8;
    else if constexpr (same<To, vSMag8>) return SFPSTOCHRND_MOD1_FP32_TO_SMAG8;
    else if constexpr (same<To, vUInt16>) return SFPSTOCHRND_MOD1_FP32_TO_UINT16;
    else if constexpr (same<To, vSMag16>) return SFPSTOCHRND_MOD1_FP32_TO_SMAG16;
    else static_assert(unknown<To>, "no such conversion");
}

// Two's complement ↔ sign and magnitude: the same operation.
SFPI_INLINE vInt flip_negative(vInt v) {
    v_if(v < 0) { v = 0 - (v & 0x7FFFFFFF); }
    v_endif;
    return v;
}

}  // namespace impl

SFPI_INLINE vSMag int_to_sign_magnitude(vInt v) {
#if SFPI_WORMHOLE
    return as<vSMag>(impl::flip_negative(v));
#else
    return vSMag(op::cast(v.get(), SFPCAST_MOD1_INT32_TO_SM32));
#endif
}
SFPI_INLINE vInt sign_magnitude_to_int(vSMag v) { return impl::flip_negative(as<vInt>(v)); }

// A vector's numbers in another format. From integers by way of sign and magnitude; to integers of
// at most 16 bits, which saturate.
template <Vector To, Vector From>
SFPI_INLINE To convert(From v, RoundMode round = RoundMode::NearestStochastic) {
    using namespace impl;
    if constexpr (same<To, From>) return v;
    else if constexpr (DerivedFrom<From, vFloat>) {
        if constexpr (same<To, vFloat>) return v;
        else return To(op::round(v.get(), 0, narrowing<To>(), rounding(round)));
    } else if constexpr (DerivedFrom<From, vSMag>) {
        if constexpr (same<To, vInt>) return sign_magnitude_to_int(v);
        else if constexpr (DerivedFrom<To, vSMag>) return To(v.get());
        else {
            const vFloat wide = op::cast(v.get(), round == RoundMode::NearestStochastic ? 1 : 0);
            return convert<To>(wide, round);
        }
    } else if constexpr (same<From, vInt>) {
        if constexpr (same<To, vSMag>) return int_to_sign_magnitude(v);
        else return convert<To>(int_to_sign_magnitude(v), round);
    } else if constexpr (DerivedFrom<From, vMag>) {
        if constexpr (same<To, vInt> || same<To, vUInt>) return To(v.get());
        else return convert<To>(as<vSMag>(v), round);
    } else static_assert(unknown<To>, "no such conversion");
}

// Names of before: their integers are in sign and magnitude.
namespace impl {
// A RoundMode; before there was one, an int: 0 to nearest, any other stochastic.
struct Rounding {
    unsigned mode;
    SFPI_INLINE constexpr Rounding(RoundMode named) : mode(rounding(named)) {}
    SFPI_INLINE constexpr Rounding(int stochastic) : mode(stochastic != 0) {}
};
}  // namespace impl
SFPI_INLINE vFloat int32_to_float(vVal v, impl::Rounding r = RoundMode::NearestStochastic) {
    return op::cast(v.get(), r.mode == 1);
}
SFPI_INLINE vFloat float_to_fp16a(vFloat v, impl::Rounding r = RoundMode::NearestStochastic) {
    return op::round(v.get(), 0, SFPSTOCHRND_MOD1_FP32_TO_FP16A, r.mode);
}
SFPI_INLINE vFloat float_to_fp16b(vFloat v, impl::Rounding r = RoundMode::NearestStochastic) {
    return op::round(v.get(), 0, SFPSTOCHRND_MOD1_FP32_TO_FP16B, r.mode);
}
SFPI_INLINE vUInt float_to_uint16(vFloat v, impl::Rounding r = RoundMode::NearestStochastic) {
    return op::round(v.get(), 0, SFPSTOCHRND_MOD1_FP32_TO_UINT16, r.mode);
}
SFPI_INLINE vInt float_to_int16(vFloat v, impl::Rounding r = RoundMode::NearestStochastic) {
    return op::round(v.get(), 0, SFPSTOCHRND_MOD1_FP32_TO_SMAG16, r.mode);
}
SFPI_INLINE vUInt float_to_uint8(vFloat v, impl::Rounding r = RoundMode::NearestStochastic) {
    return op::round(v.get(), 0, SFPSTOCHRND_MOD1_FP32_TO_UINT8, r.mode);
}
SFPI_INLINE vInt float_to_int8(vFloat v, impl::Rounding r = RoundMode::NearestStochastic) {
    return op::round(v.get(), 0, SFPSTOCHRND_MOD1_FP32_TO_SMAG8, r.mode);
}
SFPI_INLINE vUInt int32_to_uint8(vInt v, vUInt shift, impl::Rounding r = RoundMode::NearestStochastic) {
    return op::round_by(v.get(), shift.get(), SFPSTOCHRND_MOD1_SMAG32_TO_UINT8, r.mode);
}
SFPI_INLINE vUInt int32_to_uint8(vInt v, unsigned shift, impl::Rounding r = RoundMode::NearestStochastic) {
    return op::round(v.get(), shift, SFPSTOCHRND_MOD1_SMAG32_TO_UINT8 | 8, r.mode);
}
SFPI_INLINE vInt int32_to_int8(vInt v, vUInt shift, impl::Rounding r = RoundMode::NearestStochastic) {
    return op::round_by(v.get(), shift.get(), SFPSTOCHRND_MOD1_SMAG32_TO_SMAG8, r.mode);
}
SFPI_INLINE vInt int32_to_int8(vInt v, unsigned shift, impl::Rounding r = RoundMode::NearestStochastic) {
    return op::round(v.get(), shift, SFPSTOCHRND_MOD1_SMAG32_TO_SMAG8 | 8, r.mode);
}

// Piece-wise linear functions of |v|: slope × |v| + intercept, by pieces below 1, below 2, others.
// Retain gives the result the sign of v.
enum class LutSign { Update, Retain };
enum class LutMode { Table1 = 1, Table2 = 2 };

namespace impl {

// SFPLUTFP32's 16-bit floats: 5 bits of exponent, of which 31 is zero; rounded to nearest.
constexpr uint32_t lut16(float x) {
    const uint32_t u = __builtin_bit_cast(uint32_t, x), sign = u >> 16 & 0x8000;
    if ((u & 0x7FFFFFFF) == 0) return sign | 0x7C00;
    const uint32_t rounded = (u & 0x7FFFFFFF) + 0xFFF + (u >> 13 & 1);
    return sign | ((rounded >> 13) - (112 << 10));
}
// SFPLUT's 8-bit floats: 3 bits of negated exponent, 4 of mantissa; truncated, 255 is zero.
constexpr uint32_t lut8(float x) {
    const uint32_t u = __builtin_bit_cast(uint32_t, x);
    if ((u & 0x7FFFFFFF) == 0) return 0xFF;
    return (u >> 24 & 0x80) | (127 - (u >> 23 & 0xFF)) << 4 | (u >> 19 & 15);
}

}  // namespace impl

// Two slopes; two intercepts; a slope and an intercept
class vLut16ss : public vUInt {
  public:
    SFPI_VECTOR(vLut16ss)
    explicit SFPI_INLINE vLut16ss(op::vec v) : vUInt(v) {}
    SFPI_INLINE vLut16ss(float s0, float s1) : vUInt(impl::lut16(s1) << 16 | impl::lut16(s0)) {}
};
class vLut16ii : public vUInt {
  public:
    SFPI_VECTOR(vLut16ii)
    explicit SFPI_INLINE vLut16ii(op::vec v) : vUInt(v) {}
    SFPI_INLINE vLut16ii(float i0, float i1) : vUInt(impl::lut16(i1) << 16 | impl::lut16(i0)) {}
};
class vLut8si : public vUInt {
  public:
    SFPI_VECTOR(vLut8si)
    explicit SFPI_INLINE vLut8si(op::vec v) : vUInt(v) {}
    SFPI_INLINE vLut8si(float s, float i) : vUInt(impl::lut8(s) << 8 | impl::lut8(i)) {}
};

namespace impl {
SFPI_INLINE unsigned sign_bit(LutSign s) { return s == LutSign::Retain ? 4 : 0; }
}  // namespace impl

SFPI_INLINE vFloat lut(vFloat v, vLut8si l0, vLut8si l1, vLut8si l2, LutSign sign = LutSign::Retain) {
    return op::lut(l0.get(), l1.get(), l2.get(), v.get(), impl::sign_bit(sign));
}
SFPI_INLINE vFloat lut(vFloat v, vLut16ss s01, vLut16ii i01, vLut16ss s23, vLut16ii i23, vLut16ss s45,
                       vLut16ii i45, LutSign sign = LutSign::Retain) {
    return op::lut_fp32(s01.get(), s23.get(), s45.get(), i01.get(), i23.get(), i45.get(), v.get(),
                        SFPLUTFP32_MOD0_FP16_6ENTRY_TABLE1 | impl::sign_bit(sign));
}
SFPI_INLINE vFloat lut(vFloat v, vUInt l0, vUInt l1, vUInt l2) {
    return op::lut(l0.get(), l1.get(), l2.get(), v.get(), 4);
}
SFPI_INLINE vFloat lut_sign(vFloat v, vUInt l0, vUInt l1, vUInt l2) {
    return op::lut(l0.get(), l1.get(), l2.get(), v.get(), 0);
}
#define SFPI_LUT2(name, sign)                                                                      \
    SFPI_INLINE vFloat name(vFloat v, vUInt l0, vUInt l1, vUInt l2) {                              \
        return op::lut_fp32(l0.get(), l1.get(), l2.get(), v.get(),                                 \
                            SFPLUTFP32_MOD0_FP16_3ENTRY_TABLE | sign);                             \
    }                                                                                              \
    SFPI_INLINE vFloat name(vFloat v, vFloat a0, vFloat a1, vFloat a2, vFloat b0, vFloat b1, vFloat b2) { \
        return op::lut_fp32(a0.get(), a1.get(), a2.get(), b0.get(), b1.get(), b2.get(), v.get(), sign); \
    }                                                                                              \
    SFPI_INLINE vFloat name(vFloat v, vUInt a01, vUInt a23, vUInt a45, vUInt b01, vUInt b23,       \
                            vUInt b45, int mode = 1) {                                             \
        return op::lut_fp32(a01.get(), a23.get(), a45.get(), b01.get(), b23.get(), b45.get(),      \
                            v.get(), (mode == 1 ? 2 : 3) | sign);                                  \
    }
SFPI_LUT2(lut2, 4)
SFPI_LUT2(lut2_sign, 0)
#undef SFPI_LUT2

}  // namespace sfpi
