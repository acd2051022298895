// What compute kernels have from the vendor's headers of circular buffers beside those: ASSERT, and
// that a kernel is kernel_main.
#pragma once

#include <tilelab/buffers.h>
#if defined(TRISC_UNPACK) || defined(TRISC_MATH) || defined(TRISC_PACK)
#include <tilelab/compute_kernel.h>
#include <tilelab/print.h>
#endif
