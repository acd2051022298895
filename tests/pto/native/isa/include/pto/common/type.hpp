// The smallest thing that stands where pto-isa's headers do: enough to try the runtime without them.
#pragma once
#include <cstdint>
