// What older kernels take for granted once they include one of the vector unit's headers.
#pragma once

#include <tilelab/several_tiles.h>
#include <tilelab/sfpu_calls.h>

using namespace sfpi;
