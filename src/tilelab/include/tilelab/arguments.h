// A kernel's arguments, as tt-metal's hosts give them: here kernel.toml does, for each source, in
// compile_time_args and runtime_args of [build].
#pragma once

#include <stdint.h>

#include <tilelab/error.h>
#include <tilelab_build.h>

#ifndef TILELAB_COMPILE_TIME_ARGS
#define TILELAB_COMPILE_TIME_ARGS
#endif
#ifndef TILELAB_RUNTIME_ARGS
#define TILELAB_RUNTIME_ARGS
#endif

namespace tilelab {

template <uint32_t... Values>
struct Words {
    static constexpr uint32_t count = sizeof...(Values);
    static constexpr uint32_t values[count + 1] = {Values..., 0};
};
using CompileTimeArgs = Words<TILELAB_COMPILE_TIME_ARGS>;
using RuntimeArgs = Words<TILELAB_RUNTIME_ARGS>;

template <uint32_t Index>
constexpr uint32_t compile_time_arg() {
    static_assert(Index < CompileTimeArgs::count,
                  "kernel.toml has fewer compile_time_args for this source");
    return CompileTimeArgs::values[Index];
}

TILELAB_ERROR("kernel.toml has fewer runtime_args for this source") void no_such_argument();

}  // namespace tilelab

#define get_compile_time_arg_val(index) (tilelab::compile_time_arg<(index)>())

// The argument of that number, as a T of four bytes.
template <typename T>
[[gnu::always_inline]] inline T get_arg_val(uint32_t index) {
    static_assert(sizeof(T) == sizeof(uint32_t), "an argument has four bytes");
    if (__builtin_constant_p(index) && index >= tilelab::RuntimeArgs::count)
        tilelab::no_such_argument();
    return __builtin_bit_cast(T, tilelab::RuntimeArgs::values[index]);
}
