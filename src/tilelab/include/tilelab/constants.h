// Sizes of tiles and faces, as tt-metal's hosts and kernels call them.
#pragma once

#include <stdint.h>

namespace tt::constants {
constexpr uint32_t TILE_HEIGHT = 32, TILE_WIDTH = 32, TILE_HW = TILE_HEIGHT * TILE_WIDTH;
constexpr uint32_t FACE_HEIGHT = 16, FACE_WIDTH = 16, FACE_HW = FACE_HEIGHT * FACE_WIDTH;
}  // namespace tt::constants
