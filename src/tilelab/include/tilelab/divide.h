// Quotients and remainders by numbers that are known when compiling; compilers multiply instead.
#pragma once

#include <stdint.h>

[[gnu::always_inline]] inline uint32_t mulsi3(uint32_t a, uint32_t b) { return a * b; }
template <uint32_t divisor> [[gnu::always_inline]] inline uint32_t udivsi3_const_divisor(uint32_t n) {
    return n / divisor;
}
template <uint32_t divisor> [[gnu::always_inline]] inline uint32_t umodsi3_const_divisor(uint32_t n) {
    return n % divisor;
}
