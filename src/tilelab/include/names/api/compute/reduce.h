#pragma once
#include <compute_kernel_api/reduce.h>
