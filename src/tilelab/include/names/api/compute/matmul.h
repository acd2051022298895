#pragma once
#include <compute_kernel_api/matmul.h>
