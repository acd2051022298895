// The user's TPipe and TMPipe for the NPU move the payload; tilelab's engine waits, signals and watches the slots.
#ifndef TILELAB_TPUSH_HPP
#define TILELAB_TPUSH_HPP
#include <type_traits>

#include <pto/common/fifo.hpp>
#if __has_include(<pto/common/fixpipe.hpp>) // older checkouts have none, nor TAlloc.hpp
#include <pto/common/fixpipe.hpp>
#endif

#include "tilelab/payload.hpp"

#ifndef TILELAB_LIBRARY // else the pipes are the user's altogether: their flags are raw flags
#define TPipe PlainTPipe
#define TMPipe PlainTMPipe
#define TPUSH_IMPL tl_plain_TPUSH
#define TPOP_IMPL tl_plain_TPOP
#define TALLOC_IMPL tl_plain_TALLOC
#define TFREE_IMPL tl_plain_TFREE
#endif
#define TSTORE_IMPL tl_TSTORE
#define TLOAD_IMPL tl_TLOAD
#define TMOV_IMPL tl_TMOV
#define TINSERT_IMPL tl_TINSERT
#define TMovCcToUb tl_TMovCcToUb
#define TStoreAcc tl_TStoreAcc
#ifdef TILELAB_A5
#define PTO_NPU_ARCH_A5
#include <pto/npu/a5/TPush.hpp>
#include <pto/npu/a5/TPop.hpp>
#include <pto/npu/a5/TAlloc.hpp>
#if defined(TILELAB_LIBRARY) && __has_include(<pto/npu/a5/TFree.hpp>)
#include <pto/npu/a5/TFree.hpp>
#endif
#undef PTO_NPU_ARCH_A5
#else
#define PTO_NPU_ARCH_A2A3
#include <pto/npu/a2a3/TPush.hpp>
#include <pto/npu/a2a3/TPop.hpp>
#if __has_include(<pto/npu/a2a3/TAlloc.hpp>)
#include <pto/npu/a2a3/TAlloc.hpp>
#endif
#if defined(TILELAB_LIBRARY) && __has_include(<pto/npu/a2a3/TFree.hpp>)
#include <pto/npu/a2a3/TFree.hpp>
#endif
#undef PTO_NPU_ARCH_A2A3
#endif
#undef TPipe
#undef TMPipe
#undef TPUSH_IMPL
#undef TPOP_IMPL
#undef TALLOC_IMPL
#undef TFREE_IMPL
#undef TSTORE_IMPL
#undef TLOAD_IMPL
#undef TMOV_IMPL
#undef TINSERT_IMPL
#undef TMovCcToUb
#undef TStoreAcc

#ifdef TILELAB_LIBRARY
namespace pto {
template <typename TileData, typename Pipe>
PTO_INTERNAL void TPOP_REVERSED_IMPL(TileData& tile, Pipe& pipe)
{
    TPOP_IMPL(tile, pipe);
}
} // namespace pto
#else
namespace tilelab {
// Element types as the engine names them: 0 signed, 1 unsigned, 2 float, 3 bfloat16; the size beside it.
template <class T>
constexpr int64_t kind_of()
{
    if constexpr (std::is_same_v<T, bfloat16_t>) {
        return 3;
    } else if constexpr (std::is_integral_v<T>) {
        return std::is_signed_v<T> ? 0 : 1;
    } else {
        return 2;
    }
}

template <class End>
int64_t index_of(const End& end)
{
    if constexpr (requires { end.tileIndex; }) {
        return end.tileIndex;
    } else {
        return end.tile_id;
    }
}

template <class Pipe>
inline constexpr bool bothways = requires { requires Pipe::is_both; };

// TMPipe's offset counts from the pipe's base; the V2C ring of a two-way TPipe on A2/A3 has it built in.
template <class Pipe, class End>
int64_t offset_of(const Pipe& pipe, const End& end)
{
    return end.entryOffset - pipe.built_in_offset;
}
} // namespace tilelab

namespace pto {
template <uint8_t FlagID, uint8_t DirType, uint32_t SlotSize, uint32_t SlotNum, uint32_t LocalSlotNum = 2,
          bool IsNoSplit = false, bool EN_UNIT_FLAG = false>
struct TPipe : tilelab::Muted, PlainTPipe<FlagID, DirType, SlotSize, SlotNum, LocalSlotNum, IsNoSplit, EN_UNIT_FLAG> {
    using Plain = PlainTPipe<FlagID, DirType, SlotSize, SlotNum, LocalSlotNum, IsNoSplit, EN_UNIT_FLAG>;
    int64_t handle = 0;
    int64_t built_in_offset = 0;

    PTO_INTERNAL explicit TPipe(__gm__ void* gm, uint32_t c2v, uint32_t v2c) : Plain(gm, c2v, v2c)
    {
        --tilelab::muted;
        built_in_offset = this->prod.entryOffset + this->cons.entryOffset;
        handle = tilelab::ask(TL_OPEN, 0, FlagID, DirType, SlotSize, SlotNum, LocalSlotNum, IsNoSplit,
                              tilelab::word(static_cast<char*>(gm)), c2v, v2c);
    }
    TPipe(const TPipe&) = delete;
    PTO_INTERNAL ~TPipe()
    {
        tilelab::ask(TL_CLOSE, handle, this->prod.tileIndex);
        ++tilelab::muted;
    }
};

template <uint8_t FlagID, FIFOType FiFoType, uint8_t FiFoDepth, uint8_t FiFoSyncT, typename TileDataProd,
          typename TileDataCons, bool EN_UNIT_FLAG = false, uint8_t LocalFiFoDepth = 2,
          VecCubeRatio VCRatio = VecCubeRatio::V2C1_VECS>
struct TMPipe : tilelab::Muted,
                PlainTMPipe<FlagID, FiFoType, FiFoDepth, FiFoSyncT, TileDataProd, TileDataCons, EN_UNIT_FLAG,
                            LocalFiFoDepth, VCRatio> {
    using Plain = PlainTMPipe<FlagID, FiFoType, FiFoDepth, FiFoSyncT, TileDataProd, TileDataCons, EN_UNIT_FLAG,
                              LocalFiFoDepth, VCRatio>;
    int64_t handle = 0;
    static constexpr int64_t built_in_offset = 0;

    template <class Base, class... Local>
    PTO_INTERNAL explicit TMPipe(Base base, Local... local) : Plain(base, local...)
    {
        --tilelab::muted;
        int64_t address;
        if constexpr (std::is_pointer_v<Base>) {
            address = static_cast<int64_t>(reinterpret_cast<uintptr_t>(base));
        } else {
            address = static_cast<int64_t>(base);
        }
        int64_t landing = 0;
        ((landing = static_cast<int64_t>(local)), ...);
        handle = tilelab::ask(TL_OPEN, 1, FlagID, static_cast<int>(FiFoType), FiFoDepth, FiFoSyncT, LocalFiFoDepth,
                              static_cast<int>(VCRatio), address, landing, EN_UNIT_FLAG,
                              static_cast<int>(TileDataProd::Loc), TileDataProd::Rows, TileDataProd::Cols,
                              sizeof(typename TileDataProd::DType), tilelab::kind_of<typename TileDataProd::DType>(),
                              static_cast<int>(TileDataCons::Loc), TileDataCons::Rows, TileDataCons::Cols,
                              sizeof(typename TileDataCons::DType), tilelab::kind_of<typename TileDataCons::DType>());
    }
    TMPipe(const TMPipe&) = delete;
    PTO_INTERNAL ~TMPipe()
    {
        tilelab::ask(TL_CLOSE, handle, this->prod.tile_id);
        ++tilelab::muted;
    }
};

#define TL_MOVE(KIND, END, SPLIT, LANE, TILE, TYPE, FIXPIPE, CALL)                                                   \
    do {                                                                                                             \
        using TlType = TYPE;                                                                                         \
        tilelab::ask(KIND, pipe.handle, tilelab::index_of(pipe.END), TL_STATUS_##KIND, tilelab::offset_of(pipe, pipe.END), \
                     static_cast<int>(SPLIT), LANE, static_cast<int>(std::remove_cvref_t<decltype(TILE)>::Loc),      \
                     sizeof(TlType), tilelab::kind_of<TlType>(), TILE.GetValidRow(), TILE.GetValidCol(),             \
                     std::remove_cvref_t<decltype(TILE)>::Rows, std::remove_cvref_t<decltype(TILE)>::Cols, FIXPIPE); \
        ++tilelab::muted;                                                                                            \
        CALL;                                                                                                        \
        --tilelab::muted;                                                                                            \
        tilelab::ask(TL_MOVED);                                                                                      \
    } while (0)
#define TL_STATUS_TL_PUSH pipe.prod.isAllocate + 2 * pipe.prod.isRecord
#define TL_STATUS_TL_POP pipe.cons.isWait + 2 * pipe.cons.isFree

template <typename Pipe, typename TileProd, TileSplitAxis Split, std::enable_if_t<is_tile_data_v<TileProd>, int> = 0>
PTO_INTERNAL void TPUSH_IMPL(Pipe& pipe, TileProd& tile)
{
    TL_MOVE(TL_PUSH, prod, Split, -1, tile, typename TileProd::DType, 0,
            (tl_plain_TPUSH<Pipe, TileProd, Split>(pipe, tile)));
}

template <typename Pipe, typename TileProd, TileSplitAxis Split>
PTO_INTERNAL void TPUSH_IMPL(Pipe& pipe, TileProd& tile, int32_t lane)
{
    TL_MOVE(TL_PUSH, prod, Split, lane, tile, typename TileProd::DType, 0,
            (tl_plain_TPUSH<Pipe, TileProd, Split>(pipe, tile, lane)));
}

template <typename Pipe, typename TileProd, typename TConfig>
PTO_INTERNAL void TPUSH_IMPL(Pipe& pipe, TileProd& tile)
{
    using Out = FixpipeConsDType_t<TConfig::QuantPre, typename TileProd::DType>;
    TL_MOVE(TL_PUSH, prod, 0, -1, tile, Out, 1, (tl_plain_TPUSH<Pipe, TileProd, TConfig>(pipe, tile)));
}

template <typename TileData, typename Pipe>
PTO_INTERNAL void TPUSH_IMPL(TileData& tile, Pipe& pipe)
{
    TL_MOVE(TL_PUSH, prod, 0, -1, tile, typename TileData::DType, 0, (tl_plain_TPUSH<TileData, Pipe>(tile, pipe)));
}

template <typename Pipe, typename TileCons, TileSplitAxis Split, std::enable_if_t<is_tile_data_v<TileCons>, int> = 0>
PTO_INTERNAL void TPOP_IMPL(Pipe& pipe, TileCons& tile)
{
    TL_MOVE(TL_POP, cons, Split, -1, tile, typename TileCons::DType, 0,
            (tl_plain_TPOP<Pipe, TileCons, Split>(pipe, tile)));
}

template <typename Pipe, typename TileCons, TileSplitAxis Split>
PTO_INTERNAL void TPOP_IMPL(Pipe& pipe, TileCons& tile, int32_t lane)
{
    TL_MOVE(TL_POP, cons, Split, lane, tile, typename TileCons::DType, 0,
            (tl_plain_TPOP<Pipe, TileCons, Split>(pipe, tile, lane)));
}

template <typename TileData, typename Pipe>
PTO_INTERNAL void TPOP_REVERSED_IMPL(TileData& tile, Pipe& pipe)
{
    TL_MOVE(TL_POP, cons, 0, -1, tile, typename TileData::DType, 0, (tl_plain_TPOP(tile, pipe)));
}
#undef TL_MOVE
#undef TL_STATUS_TL_PUSH
#undef TL_STATUS_TL_POP

template <class Global>
PTO_INTERNAL int64_t tl_rows(Global& g)
{
    return g.GetShape(GlobalTensorDim::DIM_3);
}

template <class Global>
PTO_INTERNAL int64_t tl_cols(Global& g)
{
    return g.GetShape(GlobalTensorDim::DIM_4);
}

template <typename Pipe, typename GlobalData, TileSplitAxis Split>
PTO_INTERNAL void TALLOC_IMPL(Pipe& pipe, GlobalData& tensor)
{
    using T = typename GlobalData::RawDType;
    tilelab::ask(TL_ALLOC, pipe.handle, tilelab::index_of(pipe.prod), pipe.prod.isAllocate + 2 * pipe.prod.isRecord,
                 tilelab::offset_of(pipe, pipe.prod), static_cast<int>(Split), sizeof(T), tilelab::kind_of<T>(),
                 tl_rows(tensor), tl_cols(tensor), tensor.GetStride(GlobalTensorDim::DIM_3));
    ++tilelab::muted;
    tl_plain_TALLOC<Pipe, GlobalData, Split>(pipe, tensor);
    --tilelab::muted;
}

template <typename Pipe, typename GlobalData, TileSplitAxis Split, std::enable_if_t<is_global_data_v<GlobalData>, int> = 0>
PTO_INTERNAL void TPUSH_IMPL(Pipe& pipe, GlobalData&)
{
    tilelab::ask(TL_PUSH_GLOBAL, pipe.handle, static_cast<int>(Split));
}

template <typename Pipe, typename GlobalData, TileSplitAxis Split, std::enable_if_t<is_global_data_v<GlobalData>, int> = 0>
PTO_INTERNAL void TPOP_IMPL(Pipe& pipe, GlobalData& tensor)
{
    using T = typename GlobalData::RawDType;
    tilelab::ask(TL_POP_GLOBAL, pipe.handle, tilelab::index_of(pipe.cons), pipe.cons.isWait + 2 * pipe.cons.isFree,
                 tilelab::offset_of(pipe, pipe.cons), static_cast<int>(Split), sizeof(T), tilelab::kind_of<T>(),
                 tl_rows(tensor), tl_cols(tensor), tensor.GetStride(GlobalTensorDim::DIM_3));
    ++tilelab::muted;
    tl_plain_TPOP<Pipe, GlobalData, Split>(pipe, tensor);
    --tilelab::muted;
}

template <typename Pipe, typename GlobalData, TileSplitAxis Split>
PTO_INTERNAL void TFREE_IMPL(Pipe& pipe, GlobalData&)
{
    tilelab::ask(TL_FREE_GLOBAL, pipe.handle, tilelab::index_of(pipe.cons), pipe.cons.isWait + 2 * pipe.cons.isFree,
                 tilelab::offset_of(pipe, pipe.cons), static_cast<int>(Split));
}

template <typename Pipe, TileSplitAxis Split>
PTO_INTERNAL void TFREE_IMPL(Pipe& pipe)
{
    tilelab::ask(TL_FREE, pipe.handle, tilelab::index_of(pipe.cons), pipe.cons.isWait + 2 * pipe.cons.isFree,
                 tilelab::offset_of(pipe, pipe.cons), static_cast<int>(Split));
}

template <typename Pipe>
PTO_INTERNAL void TFREE_IMPL(Pipe& pipe)
{
    TFREE_IMPL<Pipe, TileSplitAxis::TILE_NO_SPLIT>(pipe);
}
} // namespace pto
#endif
#endif
