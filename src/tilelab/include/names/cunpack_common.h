#pragma once
#include <tilelab/unpack.h>
