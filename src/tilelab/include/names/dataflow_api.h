#pragma once
#include <tilelab/data_movement.h>
