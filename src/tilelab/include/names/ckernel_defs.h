#pragma once
#include <tilelab/tensix.h>
