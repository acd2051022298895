// What kernel.toml says, for @ARCH@ and the vendor's headers.
#ifndef TILELAB_BUILD_H
#define TILELAB_BUILD_H
#include <stdint.h>
@MACROS@
#ifdef TILELAB_COMPILE_TIME_ARGS
#define KERNEL_COMPILE_TIME_ARGS TILELAB_COMPILE_TIME_ARGS
#endif
#ifndef TILELAB_RUNTIME_ARGS
#define TILELAB_RUNTIME_ARGS 0
#endif
#ifndef TILELAB_COMMON_RUNTIME_ARGS
#define TILELAB_COMMON_RUNTIME_ARGS 0
#endif
namespace tilelab {
@PROTOCOL@
}
namespace tilelab {
struct Ring { uint32_t number, address, bytes, pages, page_bytes, filled; };
constexpr Ring rings[] = {
@RINGS@
    {},
};
constexpr uint32_t semaphores_at = @SEMAPHORES@;
inline uint32_t runtime_arguments[] = {TILELAB_RUNTIME_ARGS};
inline uint32_t common_runtime_arguments[] = {TILELAB_COMMON_RUNTIME_ARGS};
}  // namespace tilelab
#endif
@FILES@
