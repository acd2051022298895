// The instruction's function tells nobody that it runs; this does.
#ifndef TILELAB_TCVT_HPP
#define TILELAB_TCVT_HPP
#include <pto/cpu/trace.hpp>
#define TCVT_IMPL tl_plain_TCVT
#include_next <pto/cpu/TCvt.hpp>
#undef TCVT_IMPL

namespace pto {
template <typename Dst, typename Src>
PTO_INTERNAL void TCVT_IMPL(Dst& dst, Src& src, RoundMode mode, SaturationMode saturation, bool control)
{
    cpu_sim::PtoInstrTraceScope scope("TCVT", 1, dst, src);
    tl_plain_TCVT(dst, src, mode, saturation, control);
}

template <typename Dst, typename Src>
PTO_INTERNAL void TCVT_IMPL(Dst& dst, Src& src, RoundMode mode, bool control)
{
    TCVT_IMPL(dst, src, mode, SaturationMode::OFF, control);
}

template <typename Dst, typename Src, typename Tmp>
PTO_INTERNAL void TCVT_IMPL(Dst& dst, Src& src, Tmp&, RoundMode mode, SaturationMode saturation, bool control)
{
    TCVT_IMPL(dst, src, mode, saturation, control);
}

template <typename Dst, typename Src, typename Tmp>
PTO_INTERNAL void TCVT_IMPL(Dst& dst, Src& src, Tmp&, RoundMode mode, bool control)
{
    TCVT_IMPL(dst, src, mode, SaturationMode::OFF, control);
}
} // namespace pto
#endif
