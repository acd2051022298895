#pragma once
#include <compute_kernel_api/cb_api.h>
