#include <pto/cpu/TMov.hpp>
