#pragma once
#include <compute_kernel_api/eltwise_unary/erf_erfc.h>
