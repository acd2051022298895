// g++ before 13 refuses static_assert(false) in a template's branch that is never taken; this header has one.
#ifndef TILELAB_TREDUCEIDX_HPP
#define TILELAB_TREDUCEIDX_HPP
#if defined(__GNUC__) && !defined(__clang__) && __GNUC__ < 13
#define static_assert(...)
#include_next <pto/cpu/TReduceIdx.hpp>
#undef static_assert
#else
#include_next <pto/cpu/TReduceIdx.hpp>
#endif
#endif
