#pragma once
#include <compute_kernel_api/tilize.h>
