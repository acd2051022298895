// A field of a configuration register: 32-bit word, high bit, low bit.
#pragma once

#include <stdint.h>

struct ConfigField { uint16_t word; uint8_t hi, lo; };
struct ThreadConfigField { uint16_t word; uint8_t hi, lo; };
