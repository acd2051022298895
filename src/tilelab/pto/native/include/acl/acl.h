#pragma once
#include <pto/common/cpu_stub.hpp>
