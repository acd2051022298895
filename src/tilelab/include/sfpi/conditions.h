// Conditions: comparisons, and v_if … v_endif, which enable the lanes where one holds.
//
// Comparisons look at bits as the hardware does: -0 is below zero and unlike 0; floats are ordered
// -NaN < -inf < … < inf < NaN on Blackhole, and by the sign of a difference on Wormhole. Integers
// are ordered by the sign of a difference, which must not overflow.
#pragma once

#include <sfpi/types.h>

namespace sfpi {

class vBool {
    op::truth condition;

  public:
    enum Cond : unsigned { LT, GE, EQ, NE, GT, LE };
    enum Type : unsigned { UInt = 0x00, Int = 0x10, SMag = 0x20, Float = 0x30 };
    enum Logic : unsigned { And, Or, Not };

    SFPI_INLINE vBool(op::truth c) : condition(c) {}
    SFPI_INLINE vBool(vInt v) : condition(op::compare(v.get(), 0u, NE | Int)) {}
    SFPI_INLINE vBool(vUInt v) : condition(op::compare(v.get(), 0u, NE | UInt)) {}
    SFPI_INLINE vBool(vSMag v) : condition(op::compare(v.get(), 0u, NE | SMag)) {}
    SFPI_INLINE op::truth get() const { return condition; }
    // 1 where it holds, 0 elsewhere
    SFPI_INLINE operator vInt() const { return op::as_value(condition); }
};

SFPI_INLINE vBool operator&&(vBool a, vBool b) { return op::combine(a.get(), b.get(), vBool::And); }
SFPI_INLINE vBool operator||(vBool a, vBool b) { return op::combine(a.get(), b.get(), vBool::Or); }
SFPI_INLINE vBool operator!(vBool a) { return op::combine(a.get(), a.get(), vBool::Not); }

#define SFPI_COMPARISON(sign, swapped, how)                                                        \
    SFPI_INLINE vBool operator sign(vFloat a, vFloat b) {                                          \
        return op::compare(a.get(), b.get(), vBool::how | vBool::Float);                           \
    }                                                                                              \
    SFPI_INLINE vBool operator sign(vFloat a, float b) {                                           \
        return op::compare(a.get(), impl::bits(b), vBool::how | vBool::Float);                     \
    }                                                                                              \
    SFPI_INLINE vBool operator sign(float a, vFloat b) {                                           \
        return op::compare(b.get(), impl::bits(a), vBool::swapped | vBool::Float);                 \
    }                                                                                              \
    SFPI_INLINE vBool operator sign(vInt a, vInt b) {                                              \
        return op::compare(a.get(), b.get(), vBool::how | vBool::Int);                             \
    }                                                                                              \
    SFPI_INLINE vBool operator sign(vInt a, impl::Integer auto b) {                                \
        return op::compare(a.get(), uint32_t(int32_t(b)), vBool::how | vBool::Int);                \
    }                                                                                              \
    SFPI_INLINE vBool operator sign(vInt a, vMag b) { return a sign vInt(b); }                     \
    SFPI_INLINE vBool operator sign(vInt a, vUInt b) { return a sign vInt(b); }                    \
    SFPI_INLINE vBool operator sign(vUInt a, vUInt b) {                                            \
        return op::compare(a.get(), b.get(), vBool::how | vBool::UInt);                            \
    }                                                                                              \
    SFPI_INLINE vBool operator sign(vUInt a, impl::Integer auto b) {                               \
        return op::compare(a.get(), uint32_t(b), vBool::how | vBool::UInt);                        \
    }                                                                                              \
    SFPI_INLINE vBool operator sign(vSMag a, vSMag b) {                                            \
        return op::compare(a.get(), b.get(), vBool::how | vBool::SMag);                            \
    }                                                                                              \
    SFPI_INLINE vBool operator sign(vSMag a, impl::Integer auto b) {                               \
        return op::compare(a.get(), impl::sign_magnitude(int32_t(b)), vBool::how | vBool::SMag);   \
    }
namespace impl {
constexpr SFPI_INLINE uint32_t sign_magnitude(int32_t x) {
    return x < 0 ? 0x80000000u | (0u - uint32_t(x)) : uint32_t(x);
}
}  // namespace impl
SFPI_COMPARISON(<, GT, LT)
SFPI_COMPARISON(>=, LE, GE)
SFPI_COMPARISON(==, EQ, EQ)
SFPI_COMPARISON(!=, NE, NE)
SFPI_COMPARISON(>, LT, GT)
SFPI_COMPARISON(<=, GE, LE)
#undef SFPI_COMPARISON

namespace impl {

// One v_if: how many times it has pushed the lane flags, to pop them at its end.
class Lanes {
    unsigned depth = 0;

  public:
    SFPI_INLINE Lanes() = default;
    Lanes(const Lanes&) = delete;
    SFPI_INLINE ~Lanes() {
        if (depth > 0) op::pop();
        if (depth > 1) op::pop();
        if (depth > 2) op::pop();
        if (depth > 3) op::pop();
        if (depth > 4) op::pop();
        if (depth > 5) op::pop();
        if (depth > 6) op::pop();
        if (depth > 7) op::pop();
    }
    SFPI_INLINE void push() {
        ++depth;
        op::push();
    }
    SFPI_INLINE void only(vBool c) { op::only(c.get()); }
    SFPI_INLINE void others() { op::others(); }
};

}  // namespace impl
}  // namespace sfpi

#define v_if(condition)                                                                            \
    {                                                                                              \
        ::sfpi::impl::Lanes sfpi_lanes;                                                            \
        sfpi_lanes.push();                                                                         \
        sfpi_lanes.only(condition);                                                                \
        {
#define v_elseif(condition)                                                                        \
        }                                                                                          \
        sfpi_lanes.others();                                                                       \
        sfpi_lanes.push();                                                                         \
        sfpi_lanes.only(condition);                                                                \
        {
#define v_else                                                                                     \
        }                                                                                          \
        sfpi_lanes.others();                                                                       \
        {
#define v_endif                                                                                    \
        }                                                                                          \
    }
#define v_block                                                                                    \
    {                                                                                              \
        ::sfpi::impl::Lanes sfpi_lanes;                                                            \
        sfpi_lanes.push();
#define v_and(condition) sfpi_lanes.only(condition)
#define v_endblock }
