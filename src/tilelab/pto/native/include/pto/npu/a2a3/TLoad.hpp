#include <pto/cpu/TLoad.hpp>
