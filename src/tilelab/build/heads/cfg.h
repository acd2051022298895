// @CHIP@'s configuration register fields: 32-bit word, high bit, low bit. Fields of Config
// (two banks, shared by the threads) and of ThreadConfig (each thread its own) differ in type, so
// that one cannot be written in the other's way.
#pragma once

#include <tilelab/config_field.h>

namespace cfg {
@FIELDS@
}  // namespace cfg
