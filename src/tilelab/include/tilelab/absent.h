// Names of the vendor's compute API that these headers lack: whoever calls one is told so.
#pragma once

#define TILELAB_ABSENT(name)                                                                       \
    namespace ckernel {                                                                            \
    template <auto... Options, typename... Arguments>                                              \
    [[gnu::always_inline]] inline void name(Arguments...) {                                        \
        static_assert(sizeof...(Options) + sizeof...(Arguments) > 99,                              \
                      "tilelab's own headers have no " #name                                       \
                      ": the vendor's have, [build] headers = \"tt-metal\"");                      \
    }                                                                                              \
    }                                                                                              \
    using ckernel::name;
