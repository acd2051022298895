#include <pto/cpu/TStore.hpp>
