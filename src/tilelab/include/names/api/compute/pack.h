#pragma once
#include <compute_kernel_api/pack.h>
