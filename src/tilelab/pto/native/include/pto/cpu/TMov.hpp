// Moves that pto-isa's own function does not report, and those from L0C into the Vector cores' memories.
#ifndef TILELAB_TMOV_HPP
#define TILELAB_TMOV_HPP
#include <pto/cpu/trace.hpp>
#define TMOV_IMPL tl_plain_TMOV
#include_next <pto/cpu/TMov.hpp>
#undef TMOV_IMPL

#include "tilelab/to_vectors.hpp"

namespace pto {
template <class Dst, class Src>
PTO_INTERNAL void TMOV_IMPL(Dst& dst, Src& src)
{
    cpu_sim::PtoInstrTraceScope scope("TMOV", 1, dst, src);
    tl_plain_TMOV(dst, src);
}

template <class Dst, class Src, auto First, auto... Rest>
PTO_INTERNAL void TMOV_IMPL(Dst& dst, Src& src)
{
    if constexpr (std::is_same_v<std::remove_cv_t<decltype(First)>, AccToVecMode> && Dst::Loc == TileType::Vec) {
        tl_to_vectors<Dst, Src, First>(
            dst, src, [](auto value, int64_t) { return static_cast<typename Dst::DType>(value); });
    } else {
        cpu_sim::PtoInstrTraceScope scope("TMOV", 1, dst, src);
        tl_plain_TMOV<Dst, Src, First, Rest...>(dst, src);
    }
}

template <class Dst, class Src, class Fp, auto... Rest, std::enable_if_t<is_tile_data_v<Fp>, int> = 0>
PTO_INTERNAL void TMOV_IMPL(Dst& dst, Src& src, Fp& fp)
{
    static_assert(Dst::Loc != TileType::Vec || Src::Loc != TileType::Acc, "tilelab: a quantised TMOV into UB");
    cpu_sim::PtoInstrTraceScope scope("TMOV", 1, dst, src, fp);
    tl_plain_TMOV<Dst, Src, Fp, Rest...>(dst, src, fp);
}

template <class Dst, class Src, auto... Rest>
PTO_INTERNAL void TMOV_IMPL(Dst& dst, Src& src, uint64_t scalar)
{
    static_assert(Dst::Loc != TileType::Vec || Src::Loc != TileType::Acc, "tilelab: a quantised TMOV into UB");
    cpu_sim::PtoInstrTraceScope scope("TMOV", 1, dst, src);
    tl_plain_TMOV<Dst, Src, Rest...>(dst, src, scalar);
}
} // namespace pto
#endif
