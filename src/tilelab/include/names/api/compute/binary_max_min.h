#pragma once
#include <compute_kernel_api/binary_max_min.h>
