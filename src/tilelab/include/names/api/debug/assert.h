#pragma once
#include <tilelab/compute_kernel.h>
#include <tilelab/print.h>
