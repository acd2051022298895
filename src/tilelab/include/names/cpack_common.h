#pragma once
#include <tilelab/pack.h>
