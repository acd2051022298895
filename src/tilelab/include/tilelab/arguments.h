// A kernel's arguments, as tt-metal's hosts give them: here kernel.toml does, for each source, in
// compile_time_args and runtime_args of [build].
#pragma once

#include <stdint.h>

#include <tilelab/error.h>
#include <tilelab_build.h>

#ifndef TILELAB_COMPILE_TIME_ARGS
#define TILELAB_COMPILE_TIME_ARGS
#endif
#ifdef KERNEL_COMPILE_TIME_ARG_MAP
#define TILELAB_NAMED_ARGS KERNEL_COMPILE_TIME_ARG_MAP,
#else
#define TILELAB_NAMED_ARGS
#endif
#ifndef TILELAB_COMMON_RUNTIME_ARGS
#define TILELAB_COMMON_RUNTIME_ARGS
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
using CommonRuntimeArgs = Words<TILELAB_COMMON_RUNTIME_ARGS>;

template <uint32_t Index>
constexpr uint32_t compile_time_arg() {
    static_assert(Index < CompileTimeArgs::count,
                  "kernel.toml has fewer compile_time_args for this source");
    return CompileTimeArgs::values[Index];
}

TILELAB_ERROR("kernel.toml has fewer runtime_args for this source") void no_such_argument();

// named_args of kernel.toml: by text when compiling, or as args::NAME.
struct NamedArgument {
    const char* name;
    uint32_t value;
};
constexpr NamedArgument named_arguments[] = {TILELAB_NAMED_ARGS{nullptr, 0}};

constexpr bool same(const char* a, const char* b) {
    while (*a && *a == *b) ++a, ++b;
    return *a == *b;
}
void kernel_toml_has_no_such_named_args_for_this_source();
consteval uint32_t named_argument(const char* name) {
    for (const NamedArgument& each : named_arguments)
        if (each.name && same(each.name, name)) return each.value;
    kernel_toml_has_no_such_named_args_for_this_source();
    return 0;
}

template <typename T, typename Arguments>
[[gnu::always_inline]] inline T argument(uint32_t index) {
    static_assert(sizeof(T) == sizeof(uint32_t), "an argument has four bytes");
    if (__builtin_constant_p(index) && index >= Arguments::count) no_such_argument();
    return __builtin_bit_cast(T, Arguments::values[index]);
}

}  // namespace tilelab

#define get_compile_time_arg_val(index) (tilelab::compile_time_arg<(index)>())

#define get_named_compile_time_arg_val(name) (tilelab::named_argument(name))

// The argument of that number, as a T of four bytes.
template <typename T>
[[gnu::always_inline]] inline T get_arg_val(uint32_t index) {
    return tilelab::argument<T, tilelab::RuntimeArgs>(index);
}
template <typename T>
[[gnu::always_inline]] inline T get_common_arg_val(uint32_t index) {
    return tilelab::argument<T, tilelab::CommonRuntimeArgs>(index);
}

namespace experimental {
template <typename T>
[[gnu::always_inline]] constexpr T get_arg(CtaVal<T> argument) {
    return argument.value;
}
}  // namespace experimental
[[gnu::always_inline]] inline uint32_t get_vararg(uint32_t index) {
    return get_arg_val<uint32_t>(index);
}
[[gnu::always_inline]] inline uint32_t get_common_vararg(uint32_t index) {
    return get_common_arg_val<uint32_t>(index);
}
