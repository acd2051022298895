#include <pto/cpu/TPush.hpp>
