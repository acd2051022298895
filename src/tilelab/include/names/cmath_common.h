#pragma once
#include <tilelab/math.h>
