// What kernel.toml says, for @ARCH@.
#pragma once
#include <tilelab/build.h>
@MACROS@
namespace tilelab {
@PROTOCOL@
constexpr uint32_t placed_buffers = @PLACED@;
constexpr PlacedBuffer circular_buffers[32] = {
@BUFFERS@
};
}  // namespace tilelab
