#pragma once
#include <tilelab/templates.h>
