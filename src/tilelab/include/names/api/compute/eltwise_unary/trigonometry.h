#pragma once
#include <tilelab/activations.h>
