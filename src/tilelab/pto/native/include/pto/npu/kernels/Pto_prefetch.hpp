// A prefetch changes no byte that a program can see.
#pragma once
namespace pto {
template <bool Sdma = true, int Cores = 0, class... Args>
inline void PTO_PREFETCH(Args...)
{}
} // namespace pto
