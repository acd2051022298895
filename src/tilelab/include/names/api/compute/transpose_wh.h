#pragma once
#include <compute_kernel_api/transpose_wh.h>
