// What a kernel's build states about it: where its circular buffers are, and how it reports that it
// is done. `python -m tilelab.tensix.programs.build` writes these values from kernel.toml.
#pragma once

#include <tilelab/tensix.h>

namespace tilelab {

// A ring of `tiles` tiles in L1. Before the start the host has put `filled` tiles into it. A buffer
// that kernel.toml does not place has no tiles.
struct CircularBuffer {
    uint32_t address, tiles, filled;
    DataFormat format;
};

}  // namespace tilelab
