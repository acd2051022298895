// Vectors of 32 lanes, by what their bits mean. A variable's value is in an LReg; assigning changes
// the lanes that are enabled.
#pragma once

#include <sfpi/ops.h>
#include <sfpi/constants.h>

namespace sfpi {

namespace impl {

template <typename T> inline constexpr bool is_integer = false;
template <> inline constexpr bool is_integer<int> = true;
template <> inline constexpr bool is_integer<unsigned> = true;
template <> inline constexpr bool is_integer<long> = true;
template <> inline constexpr bool is_integer<unsigned long> = true;
template <> inline constexpr bool is_integer<short> = true;
template <> inline constexpr bool is_integer<unsigned short> = true;
template <> inline constexpr bool is_integer<signed char> = true;
template <> inline constexpr bool is_integer<unsigned char> = true;
template <typename T> concept Integer = is_integer<T>;

constexpr SFPI_INLINE uint32_t bits(float x) { return __builtin_bit_cast(uint32_t, x); }

}  // namespace impl

// What all vectors share: the value, and assignment under conditions.
class vVal {
    op::vec v;

  public:
    SFPI_INLINE vVal() : v(op::no_value()) {}
    SFPI_INLINE vVal(op::vec value) : v(value) {}
    SFPI_INLINE vVal(const vVal& other) : v(other.v) {}
    SFPI_INLINE vVal& operator=(const vVal& other) {
        v = op::assign(v, other.v);
        return *this;
    }
    SFPI_INLINE op::vec get() const { return v; }
};

template <typename T> concept Vector = __is_base_of(vVal, T);

class vFloat; class vInt; class vUInt; class vMag; class vSMag; class vUInt16; class vUInt8;
class vSMag16; class vSMag8; class vFloat16a; class vFloat16b;

// The same bits as another type.
template <Vector To> SFPI_INLINE To as(vVal v) { return To(v.get()); }
template <Vector To> SFPI_INLINE To reinterpret(vVal v) { return To(v.get()); }

// 16-bit floats by their bits, to load with one instruction.
class sFloat16a {
    uint32_t value;

  public:
    explicit SFPI_INLINE sFloat16a(impl::Integer auto bits) : value(uint16_t(bits)) {}
    SFPI_INLINE uint32_t get() const { return value; }
};

class sFloat16b {
    uint32_t value;

  public:
    explicit SFPI_INLINE sFloat16b(impl::Integer auto bits) : value(uint16_t(bits)) {}
    explicit SFPI_INLINE sFloat16b(float f) : value(impl::bits(f) >> 16) {}  // truncated
    explicit SFPI_INLINE sFloat16b(double f) : sFloat16b(float(f)) {}
    SFPI_INLINE uint32_t get() const { return value; }
};

#define SFPI_VECTOR(name)                                                                          \
    SFPI_INLINE name() = default;                                                                  \
    SFPI_INLINE name(const name&) = default;                                                       \
    SFPI_INLINE name& operator=(const name&) = default;

class vFloat : public vVal {
  public:
    SFPI_VECTOR(vFloat)
    SFPI_INLINE vFloat(op::vec v) : vVal(v) {}
    SFPI_INLINE vFloat(float f) : vVal(op::constant(impl::bits(f))) {}
    SFPI_INLINE vFloat(sFloat16a f) : vVal(op::loadi(f.get(), SFPLOADI_MOD0_FLOATA)) {}
    SFPI_INLINE vFloat(sFloat16b f) : vVal(op::constant(f.get() << 16)) {}

    SFPI_INLINE vFloat& operator+=(vFloat b);
    SFPI_INLINE vFloat& operator-=(vFloat b);
    SFPI_INLINE vFloat& operator*=(vFloat b);
    SFPI_INLINE vFloat operator++();
    SFPI_INLINE vFloat operator--();
    SFPI_INLINE vFloat operator++(int);
    SFPI_INLINE vFloat operator--(int);
};

// FP32 values that have been rounded to FP16 or bfloat16.
class vFloat16a : public vFloat {
  public:
    SFPI_VECTOR(vFloat16a)
    explicit SFPI_INLINE vFloat16a(op::vec v) : vFloat(v) {}
    explicit SFPI_INLINE vFloat16a(sFloat16a f) : vFloat(f) {}
};
class vFloat16b : public vFloat {
  public:
    SFPI_VECTOR(vFloat16b)
    explicit SFPI_INLINE vFloat16b(op::vec v) : vFloat(v) {}
    explicit SFPI_INLINE vFloat16b(sFloat16b f) : vFloat(f) {}
};

#define SFPI_INTEGER_MEMBERS(name)                                                                 \
    SFPI_INLINE name(op::vec v) : vVal(v) {}                                                       \
    SFPI_INLINE name(impl::Integer auto i) : vVal(op::constant(uint32_t(int32_t(i)))) {}           \
    SFPI_INLINE name(uint16_t i) : vVal(op::constant(i)) {}                                        \
    SFPI_INLINE name(uint8_t i) : vVal(op::constant(i)) {}                                         \
    SFPI_INLINE name& operator+=(name b);                                                          \
    SFPI_INLINE name& operator-=(name b);                                                          \
    SFPI_INLINE name& operator&=(name b);                                                          \
    SFPI_INLINE name& operator|=(name b);                                                          \
    SFPI_INLINE name& operator^=(name b);                                                          \
    SFPI_INLINE name& operator<<=(unsigned n);                                                     \
    SFPI_INLINE name& operator<<=(vUInt n);                                                        \
    SFPI_INLINE name& operator>>=(unsigned n);                                                     \
    SFPI_INLINE name& operator>>=(vUInt n);                                                        \
    SFPI_INLINE name operator++();                                                                 \
    SFPI_INLINE name operator--();                                                                 \
    SFPI_INLINE name operator++(int);                                                              \
    SFPI_INLINE name operator--(int);

// 32 bits, unsigned; and two's complement.
class vUInt : public vVal {
  public:
    SFPI_VECTOR(vUInt)
    SFPI_INTEGER_MEMBERS(vUInt)
    explicit SFPI_INLINE vUInt(vInt i);
    SFPI_INLINE operator vInt() const;
};
class vInt : public vVal {
  public:
    SFPI_VECTOR(vInt)
    SFPI_INTEGER_MEMBERS(vInt)
    explicit SFPI_INLINE vInt(vUInt u) : vVal(u.get()) {}
    SFPI_INLINE operator vUInt() const { return vUInt(get()); }
};
SFPI_INLINE vUInt::vUInt(vInt i) : vVal(i.get()) {}
SFPI_INLINE vUInt::operator vInt() const { return vInt(get()); }

// Unsigned and below 2³¹, 2¹⁶, 2⁸: the same in every integer format.
class vMag : public vUInt {
  public:
    SFPI_VECTOR(vMag)
    explicit SFPI_INLINE vMag(op::vec v) : vUInt(v) {}
    explicit SFPI_INLINE vMag(vUInt u) : vUInt(u) {}
    explicit SFPI_INLINE vMag(impl::Integer auto i) : vUInt(i) {}
};
class vUInt16 : public vMag {
  public:
    SFPI_VECTOR(vUInt16)
    explicit SFPI_INLINE vUInt16(op::vec v) : vMag(v) {}
    explicit SFPI_INLINE vUInt16(impl::Integer auto i) : vMag(uint16_t(i)) {}
};
class vUInt8 : public vUInt16 {
  public:
    SFPI_VECTOR(vUInt8)
    explicit SFPI_INLINE vUInt8(op::vec v) : vUInt16(v) {}
    explicit SFPI_INLINE vUInt8(impl::Integer auto i) : vUInt16(uint8_t(i)) {}
};

// Sign and magnitude.
class vSMag : public vVal {
  public:
    SFPI_VECTOR(vSMag)
    explicit SFPI_INLINE vSMag(op::vec v) : vVal(v) {}
    explicit SFPI_INLINE vSMag(impl::Integer auto bits) : vVal(op::constant(uint32_t(bits))) {}
};
class vSMag16 : public vSMag {
  public:
    SFPI_VECTOR(vSMag16)
    explicit SFPI_INLINE vSMag16(op::vec v) : vSMag(v) {}
};
class vSMag8 : public vSMag16 {
  public:
    SFPI_VECTOR(vSMag8)
    explicit SFPI_INLINE vSMag8(op::vec v) : vSMag16(v) {}
};

// Floating-point arithmetic
SFPI_INLINE vFloat operator+(vFloat a) { return a; }
SFPI_INLINE vFloat operator-(vFloat a) { return op::mov(a.get(), SFPMOV_MOD1_COMPSIGN); }
SFPI_INLINE vFloat operator+(vFloat a, vFloat b) { return op::add(a.get(), b.get(), 0); }
SFPI_INLINE vFloat operator-(vFloat a, vFloat b) { return a + -b; }
SFPI_INLINE vFloat operator*(vFloat a, vFloat b) { return op::mul(a.get(), b.get(), 0); }
SFPI_INLINE vFloat operator+(float a, vFloat b) { return b + vFloat(a); }
SFPI_INLINE vFloat operator-(float a, vFloat b) { return vFloat(a) - b; }
SFPI_INLINE vFloat operator-(vFloat a, float b) { return a + vFloat(-b); }
SFPI_INLINE vFloat operator*(float a, vFloat b) { return b * vFloat(a); }
SFPI_INLINE vFloat& vFloat::operator+=(vFloat b) { return *this = *this + b; }
SFPI_INLINE vFloat& vFloat::operator-=(vFloat b) { return *this = *this - b; }
SFPI_INLINE vFloat& vFloat::operator*=(vFloat b) { return *this = *this * b; }
SFPI_INLINE vFloat vFloat::operator++() { return *this += 1.0f; }
SFPI_INLINE vFloat vFloat::operator--() { return *this -= 1.0f; }
SFPI_INLINE vFloat vFloat::operator++(int) { vFloat old = *this; *this += 1.0f; return old; }
SFPI_INLINE vFloat vFloat::operator--(int) { vFloat old = *this; *this -= 1.0f; return old; }

// Integer arithmetic wraps modulo 2³². Shifts by a vector go right where its lanes are negative.
namespace impl {
SFPI_INLINE op::vec add(vVal a, vVal b) { return op::iadd(a.get(), b.get(), 4); }
SFPI_INLINE op::vec sub(vVal a, vVal b) { return op::iadd(b.get(), a.get(), 6); }
SFPI_INLINE op::vec negated(vVal a) { return op::iadd(a.get(), op::constant(0), 6); }
}  // namespace impl

#define SFPI_INTEGER_OPERATORS(name, right)                                                        \
    SFPI_INLINE name operator+(name a) { return a; }                                               \
    SFPI_INLINE name operator-(name a) { return impl::negated(a); }                                \
    SFPI_INLINE name operator~(name a) { return op::bit_not(a.get()); }                            \
    SFPI_INLINE name operator+(name a, name b) { return impl::add(a, b); }                         \
    SFPI_INLINE name operator-(name a, name b) { return impl::sub(a, b); }                         \
    SFPI_INLINE name operator&(name a, name b) { return op::bit_and(a.get(), b.get()); }           \
    SFPI_INLINE name operator|(name a, name b) { return op::bit_or(a.get(), b.get()); }            \
    SFPI_INLINE name operator^(name a, name b) { return op::bit_xor(a.get(), b.get()); }           \
    SFPI_INLINE name operator+(name a, impl::Integer auto b) { return op::iadd_i(a.get(), int32_t(b)); } \
    SFPI_INLINE name operator-(name a, impl::Integer auto b) { return op::iadd_i(a.get(), -int32_t(b)); } \
    SFPI_INLINE name operator&(name a, impl::Integer auto b) { return a & name(b); }               \
    SFPI_INLINE name operator|(name a, impl::Integer auto b) { return a | name(b); }               \
    SFPI_INLINE name operator^(name a, impl::Integer auto b) { return a ^ name(b); }               \
    SFPI_INLINE name operator+(impl::Integer auto a, name b) { return b + a; }                     \
    SFPI_INLINE name operator-(impl::Integer auto a, name b) { return name(a) - b; }               \
    SFPI_INLINE name operator&(impl::Integer auto a, name b) { return b & a; }                     \
    SFPI_INLINE name operator|(impl::Integer auto a, name b) { return b | a; }                     \
    SFPI_INLINE name operator^(impl::Integer auto a, name b) { return b ^ a; }                     \
    SFPI_INLINE name operator<<(name a, unsigned n) { return op::shift_i(a.get(), int32_t(n), right); } \
    SFPI_INLINE name operator<<(name a, vUInt n) { return op::shift(a.get(), n.get(), right); }    \
    SFPI_INLINE name& name::operator+=(name b) { return *this = *this + b; }                       \
    SFPI_INLINE name& name::operator-=(name b) { return *this = *this - b; }                       \
    SFPI_INLINE name& name::operator&=(name b) { return *this = *this & b; }                       \
    SFPI_INLINE name& name::operator|=(name b) { return *this = *this | b; }                       \
    SFPI_INLINE name& name::operator^=(name b) { return *this = *this ^ b; }                       \
    SFPI_INLINE name& name::operator<<=(unsigned n) { return *this = *this << n; }                 \
    SFPI_INLINE name& name::operator<<=(vUInt n) { return *this = *this << n; }                    \
    SFPI_INLINE name name::operator++() { return *this = *this + 1; }                              \
    SFPI_INLINE name name::operator--() { return *this = *this - 1; }                              \
    SFPI_INLINE name name::operator++(int) { name old = *this; *this = old + 1; return old; }      \
    SFPI_INLINE name name::operator--(int) { name old = *this; *this = old - 1; return old; }

#define SFPI_SHIFTS_RIGHT(name, right)                                                             \
    SFPI_INLINE name operator>>(name a, unsigned n) { return op::shift_i(a.get(), -int32_t(n), right); } \
    SFPI_INLINE name operator>>(name a, vUInt n) { return op::shift(a.get(), impl::negated(n), right); } \
    SFPI_INLINE name& name::operator>>=(unsigned n) { return *this = *this >> n; }                 \
    SFPI_INLINE name& name::operator>>=(vUInt n) { return *this = *this >> n; }

SFPI_INTEGER_OPERATORS(vUInt, SFPSHFT_MOD1_LOGICAL)
SFPI_SHIFTS_RIGHT(vUInt, SFPSHFT_MOD1_LOGICAL)
#if SFPI_WORMHOLE
SFPI_INTEGER_OPERATORS(vInt, SFPSHFT_MOD1_LOGICAL)  // a signed shift to the right is Blackhole's
#else
SFPI_INTEGER_OPERATORS(vInt, SFPSHFT_MOD1_ARITHMETIC)
SFPI_SHIFTS_RIGHT(vInt, SFPSHFT_MOD1_ARITHMETIC)
#endif
#undef SFPI_INTEGER_OPERATORS
#undef SFPI_SHIFTS_RIGHT

// Mixed: signed with unsigned gives bits that are unsigned.
SFPI_INLINE vUInt operator&(vUInt a, vInt b) { return a & vUInt(b); }
SFPI_INLINE vUInt operator&(vInt a, vUInt b) { return vUInt(a) & b; }
SFPI_INLINE vUInt operator|(vUInt a, vInt b) { return a | vUInt(b); }
SFPI_INLINE vUInt operator|(vInt a, vUInt b) { return vUInt(a) | b; }
SFPI_INLINE vUInt operator^(vUInt a, vInt b) { return a ^ vUInt(b); }
SFPI_INLINE vUInt operator^(vInt a, vUInt b) { return vUInt(a) ^ b; }
SFPI_INLINE vUInt operator-(vUInt a, vInt b) { return impl::sub(a, b); }

SFPI_INLINE vInt operator+(vInt a, vMag b) { return impl::add(a, b); }
SFPI_INLINE vInt operator+(vMag a, vInt b) { return impl::add(a, b); }
SFPI_INLINE vInt operator-(vInt a, vMag b) { return impl::sub(a, b); }
SFPI_INLINE vInt operator-(vMag a, vInt b) { return impl::sub(a, b); }
SFPI_INLINE vUInt operator+(vUInt a, vMag b) { return impl::add(a, b); }
SFPI_INLINE vUInt operator+(vMag a, vUInt b) { return impl::add(a, b); }
SFPI_INLINE vUInt operator-(vUInt a, vMag b) { return impl::sub(a, b); }
SFPI_INLINE vUInt operator-(vMag a, vUInt b) { return impl::sub(a, b); }
SFPI_INLINE vMag operator>>(vMag a, unsigned n) { return vMag((vUInt(a) >> n).get()); }
SFPI_INLINE vMag operator>>(vMag a, vUInt n) { return vMag((vUInt(a) >> n).get()); }
SFPI_INLINE vMag operator&(vMag a, vMag b) { return vMag(op::bit_and(a.get(), b.get())); }
SFPI_INLINE vMag operator&(vMag a, impl::Integer auto b) { return a & vMag(b); }
SFPI_INLINE vUInt operator&(vSMag a, impl::Integer auto b) {
    return op::bit_and(a.get(), op::constant(uint32_t(b)));
}

}  // namespace sfpi
