#pragma once
#include <tilelab/compute_kernel.h>
