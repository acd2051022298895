// The user's events as the NPU has them: for its simulator the header counts which are in use, and nothing there frees them.
#ifndef TILELAB_EVENT_HPP
#define TILELAB_EVENT_HPP
#include <pto/common/type.hpp>
#pragma push_macro("__CPU_SIM")
#undef __CPU_SIM
#include_next <pto/common/event.hpp>
#pragma pop_macro("__CPU_SIM")
#endif
