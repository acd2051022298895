// Each core's memories, where the engine sees them. A Vector core that names an L1 or L0 tile means the Cube's.
#ifndef PTO_NPU_MEMORY_MODEL_HPP
#define PTO_NPU_MEMORY_MODEL_HPP
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

#include <pto/common/pto_tile.hpp>

#include "tilelab/native.h"

namespace pto {
enum class NPUArch { A2A3, A5 };
} // namespace pto

namespace tilelab {
template <class Tile>
constexpr TilelabPlace place_of()
{
    switch (Tile::Loc) {
        case pto::TileType::Mat:
            return TL_L1;
        case pto::TileType::Left:
            return TL_L0A;
        case pto::TileType::Right:
            return TL_L0B;
        case pto::TileType::Acc:
            return TL_L0C;
        case pto::TileType::Bias:
            return TL_BT;
        case pto::TileType::Scaling:
            return TL_FB;
        case pto::TileType::ScaleLeft:
            return TL_MX_A;
        case pto::TileType::ScaleRight:
            return TL_MX_B;
        default:
            return TL_UB;
    }
}

inline char* own_place(TilelabPlace place)
{
    return tl_place(place == TL_UB || place == TL_REG ? tl_lane() : -1, place);
}
} // namespace tilelab

namespace pto {
class NPUMemoryModel {
public:
    static NPUMemoryModel& Instance()
    {
        static NPUMemoryModel model;
        return model;
    }
    static void SetDefaultArch(NPUArch) {}
    void Initialize(NPUArch) {}
    void EnsureInitialized() {}
    void Clear() {}
    char* GetREGBase() { return tilelab::own_place(TL_REG); }
    char* GetUBBase() { return tilelab::own_place(TL_UB); }
    char* GetL1Base() { return tilelab::own_place(TL_L1); }
    char* GetL0ABase() { return tilelab::own_place(TL_L0A); }
    char* GetL0BBase() { return tilelab::own_place(TL_L0B); }
    char* GetL0CBase() { return tilelab::own_place(TL_L0C); }

    template <typename T>
    std::size_t GetNPUAddr(T* pointer)
    {
        const auto address = reinterpret_cast<std::uintptr_t>(pointer);
        for (int64_t place = TL_UB; place < TL_PLACES; ++place) {
            for (int lane : {tl_lane(), -1}) {
                const auto base = reinterpret_cast<std::uintptr_t>(tl_place(lane, static_cast<int>(place)));
                if (address >= base && address < base + static_cast<std::uintptr_t>(tl_place_bytes())) {
                    return address - base;
                }
            }
        }
        throw std::invalid_argument("a pointer outside every local memory");
    }

    template <typename Tile>
    typename Tile::DType* ResolveAssignedAddress(std::uintptr_t address)
    {
        if (tl_is_local(address)) {
            return reinterpret_cast<typename Tile::DType*>(address);
        }
        if (address + sizeof(typename Tile::DType) > static_cast<std::uintptr_t>(tl_place_bytes())) {
            throw std::out_of_range("TASSIGN: address " + std::to_string(address) + " is beyond every local memory");
        }
        return reinterpret_cast<typename Tile::DType*>(tilelab::own_place(tilelab::place_of<Tile>()) + address);
    }
};
} // namespace pto
#endif
