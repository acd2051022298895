#pragma once
#include <compute_kernel_api/bcast.h>
