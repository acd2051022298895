#pragma once
#include <compute_kernel_api/tile_move_copy.h>
