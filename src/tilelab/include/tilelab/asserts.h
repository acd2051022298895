// ASSERT, for compute kernels that have it from the vendor's headers of circular buffers.
#pragma once

#include <tilelab/buffers.h>
#if defined(TRISC_UNPACK) || defined(TRISC_MATH) || defined(TRISC_PACK)
#include <tilelab/print.h>
#endif
