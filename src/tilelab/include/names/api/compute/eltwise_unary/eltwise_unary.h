#pragma once
#include <compute_kernel_api/eltwise_unary/eltwise_unary.h>
