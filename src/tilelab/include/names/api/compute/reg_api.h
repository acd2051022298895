#pragma once
#include <compute_kernel_api/reg_api.h>
