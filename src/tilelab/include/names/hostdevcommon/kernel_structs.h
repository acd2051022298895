#pragma once
#include <tilelab/circular_buffers.h>
