// What a kernel's build states about it: where its circular buffers are, and how it reports that it
// is done. The build writes these values from kernel.toml.
#pragma once

#include <tilelab/tensix.h>

// Words of the vendor's for compilers.
#define FORCE_INLINE inline __attribute__((always_inline))
#define tt_l1_ptr
#define tt_reg_ptr

namespace experimental {
// A named argument that is known when compiling.
template <typename T>
struct CtaVal {
    T value;
};
}  // namespace experimental

namespace tilelab {

// A ring of `tiles` tiles of `bytes` bytes in L1. Before the start the host has put `filled` tiles
// into it. A buffer that kernel.toml does not place has no tiles; the others are numbered by `index`.
struct PlacedBuffer {
    uint32_t address, tiles, filled, bytes;
    DataFormat format;
    uint32_t index;
    bool to_dst;  // copy_tile unpacks it into Dst, not into SrcA
};

// Formats whose exponent has five bits. Data of these and others do not mix in Dst of 16 bits.
constexpr bool is_fp16_family(DataFormat format) {
    return format == DataFormat::Float16 || format == DataFormat::Bfp8 ||
           format == DataFormat::Bfp4 || format == DataFormat::Bfp2;
}

}  // namespace tilelab
