#pragma once
#include <compute_kernel_api/untilize.h>
