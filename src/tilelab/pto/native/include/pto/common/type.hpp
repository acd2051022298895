// Where the compiler has no bfloat16 of its own, the user's header falls back to half; here it is a type.
#ifndef TILELAB_TYPE_HPP
#define TILELAB_TYPE_HPP
#if defined(__STDCPP_BFLOAT16_T__) && __cplusplus >= 202302L
#include_next <pto/common/type.hpp>
#else
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>
#define bfloat16_t tl_unused_bfloat16_t
#include_next <pto/common/type.hpp>
#undef bfloat16_t

namespace tilelab {
// The upper half of a float, rounded to nearest, ties to even.
struct bfloat16 {
    uint16_t bits;
    bfloat16() = default;
    template <class T, std::enable_if_t<std::is_arithmetic_v<T> || std::is_same_v<T, _Float16>, int> = 0>
    constexpr bfloat16(T value) : bits(round(static_cast<float>(value)))
    {}
    constexpr operator float() const { return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16); }
    bfloat16& operator+=(bfloat16 other) { return *this = bfloat16(float(*this) + float(other)); }

private:
    static constexpr uint16_t round(float value)
    {
        const uint32_t word = std::bit_cast<uint32_t>(value);
        if (value != value) {
            return static_cast<uint16_t>(word >> 16) | 0x40;
        }
        return static_cast<uint16_t>((word + 0x7fff + ((word >> 16) & 1)) >> 16);
    }
};
} // namespace tilelab
using bfloat16_t = tilelab::bfloat16;
#endif
#endif
