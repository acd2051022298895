// The user's simulator has no events and no TSYNC; the NPU's are flags and barriers, which are modelled here.
#ifndef TILELAB_TSYNC_HPP
#define TILELAB_TSYNC_HPP
#include <pto/common/event.hpp>
#ifdef TILELAB_A5
#include <pto/npu/a5/TSync.hpp>
#else
#include <pto/npu/a2a3/TSync.hpp>
#endif
#endif
