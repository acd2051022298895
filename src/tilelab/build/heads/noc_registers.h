// Where @CHIP@ keeps the registers of a NoC interface, in bytes from its first; coordinates lie
// COORDINATE_SHIFT bits up in an address's middle word, or, if that is 0, in its high word.
#pragma once

#include <stdint.h>

namespace tilelab::noc {
constexpr uint32_t REGISTERS = @REGISTERS@, COUNTERS = @COUNTERS@;
constexpr uint32_t INITIATOR_BYTES = @STRIDE@, COORDINATE_SHIFT = @SHIFT@;
constexpr uint32_t CMD_CTRL = @GO@, NODE_ID = @NODE_ID@;
}  // namespace tilelab::noc
