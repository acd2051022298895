#pragma once
#include <compute_kernel_api/eltwise_unary/negative.h>
