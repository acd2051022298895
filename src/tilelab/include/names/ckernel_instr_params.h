#pragma once
#include <tilelab/parameters.h>
