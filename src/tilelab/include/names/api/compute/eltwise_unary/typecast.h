#pragma once
#include <tilelab/typecast.h>
