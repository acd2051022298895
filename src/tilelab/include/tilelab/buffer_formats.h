// What the vendor's host tells compute kernels of circular buffers: formats by number, 0xFF of a buffer
// that is not placed, and the shape of tiles.
#pragma once

#include <tilelab/circular_buffers.h>

namespace tilelab {

struct FormatsInL1 {
    constexpr uint32_t operator[](uint32_t id) const {
        return circular_buffers[id].tiles ? number(plain(circular_buffers[id].format)) : 0xFF;
    }
};
struct FormatsInSrc {
    constexpr uint32_t operator[](uint32_t id) const {
        return circular_buffers[id].tiles ? number(format_in_src(circular_buffers[id].format)) : 0xFF;
    }
};
struct TileSizes {
    constexpr uint32_t operator[](uint32_t id) const { return circular_buffers[id].bytes; }
};
template <uint32_t value> struct OfAll {
    constexpr uint32_t operator[](uint32_t) const { return value; }
};

}  // namespace tilelab

#define TILELAB_SHAPE(side)                                                                        \
    inline constexpr tilelab::OfAll<4> side##_tile_num_faces{};                                    \
    inline constexpr tilelab::OfAll<0> side##_partial_face{}, side##_narrow_tile{};                \
    inline constexpr tilelab::OfAll<16> side##_tile_face_r_dim{};                                  \
    inline constexpr tilelab::OfAll<32> side##_tile_r_dim{}, side##_tile_c_dim{};                  \
    inline constexpr tilelab::OfAll<2> side##_num_faces_r_dim{}, side##_num_faces_c_dim{};         \
    inline constexpr tilelab::TileSizes side##_tile_size{};
inline constexpr tilelab::FormatsInL1 unpack_src_format{}, pack_dst_format{};
inline constexpr tilelab::FormatsInSrc unpack_dst_format{};
TILELAB_SHAPE(unpack)
TILELAB_SHAPE(pack)
#undef TILELAB_SHAPE
