#ifndef TILELAB_TO_VECTORS_HPP
#define TILELAB_TO_VECTORS_HPP
#include <pto/cpu/TAssign.hpp>

#include "tilelab/operands.hpp"

namespace pto {
// On the Cube a Vec tile lies in the Vector cores' own memories: in one, or a half in each.
template <class Dst, class Src, AccToVecMode Mode, class Value>
PTO_INTERNAL void tl_to_vectors(Dst& dst, Src& src, Value value)
{
    constexpr bool split_rows = Mode == AccToVecMode::DualModeSplitM;
    constexpr bool split_cols = Mode == AccToVecMode::DualModeSplitN;
    constexpr int first = Mode == AccToVecMode::SingleModeVec1 ? 1 : 0;
    constexpr int last = Mode == AccToVecMode::SingleModeVec0 ? 0 : 1;
    tilelab::Operands found("TMOV", "");
    found.tile(tilelab::READ, src);
    const int64_t rows = static_cast<int64_t>(src.GetValidRow()) / (split_rows ? 2 : 1);
    const int64_t cols = static_cast<int64_t>(src.GetValidCol()) / (split_cols ? 2 : 1);
    auto* here = dst.data();
    const auto offset = reinterpret_cast<char*>(here) - tl_place(-1, TL_UB);
    for (int lane = first; lane <= last; ++lane) {
        TASSIGN_IMPL(dst, reinterpret_cast<uintptr_t>(tl_place(lane, TL_UB) + offset));
        found.tile(tilelab::WRITE, dst, 0, 0, rows, cols);
        for (int64_t r = 0; r < rows; ++r) {
            for (int64_t c = 0; c < cols; ++c) {
                const int64_t sr = r + (split_rows ? lane * rows : 0), sc = c + (split_cols ? lane * cols : 0);
                dst.SetElement(r, c, value(src.GetElement(sr, sc), sc));
            }
        }
    }
    TASSIGN_IMPL(dst, reinterpret_cast<uintptr_t>(here));
    found.send();
}

} // namespace pto
#endif
