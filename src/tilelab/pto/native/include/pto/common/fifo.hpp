// The user's header; A5's own directions are declared only under its architecture's macro.
#ifndef TILELAB_FIFO_HPP
#define TILELAB_FIFO_HPP
#ifdef TILELAB_A5
#define PTO_NPU_ARCH_A5
#endif
#include_next <pto/common/fifo.hpp>
#ifdef TILELAB_A5
#undef PTO_NPU_ARCH_A5
#endif
#endif
