// The vendor's C library keeps the integer types here.
#pragma once
#include <stdint.h>
