#pragma once
#include <compute_kernel_api/common_globals.h>
