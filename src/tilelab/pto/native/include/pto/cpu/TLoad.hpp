// The user's load, but a tile without a pad value keeps the bytes beside its valid part, as on the NPU.
#ifndef TILELAB_TLOAD_HPP
#define TILELAB_TLOAD_HPP
#include <cstring>
#include <vector>
#define TLOAD_IMPL tl_filling_TLOAD
#include_next <pto/cpu/TLoad.hpp>
#undef TLOAD_IMPL

#include "pto/cpu/tile_offsets.hpp"

namespace pto {
template <typename TileData, typename GlobalData>
PTO_INTERNAL void TLOAD_IMPL(TileData& dst, GlobalData& src)
{
    if constexpr (is_tile_data_v<TileData>) {
        using T = typename TileData::DType;
        const size_t rows = dst.GetValidRow(), cols = dst.GetValidCol();
        constexpr bool pads = TileData::PadVal != PadValue::Null;
        if (!pads && (rows < TileData::Rows || cols < TileData::Cols)) {
            std::vector<char> before(sizeof(T) * TileData::Numel);
            std::memcpy(before.data(), dst.data(), before.size());
            tl_filling_TLOAD(dst, src);
            for (size_t r = 0; r < TileData::Rows; ++r) {
                for (size_t c = r < rows ? cols : 0; c < TileData::Cols; ++c) {
                    const size_t at = GetTileElementOffset<TileData>(r, c) * sizeof(T);
                    std::memcpy(reinterpret_cast<char*>(dst.data()) + at, before.data() + at, sizeof(T));
                }
            }
            return;
        }
    }
    tl_filling_TLOAD(dst, src);
}
} // namespace pto
#endif
