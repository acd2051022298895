#pragma once
#include <compute_kernel_api/compute_kernel_hw_startup.h>
