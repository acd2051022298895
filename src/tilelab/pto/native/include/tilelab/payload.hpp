// How the user's TPipe moves tiles on the CPU: its stores, loads and moves, each told to the engine.
#ifndef TILELAB_PAYLOAD_HPP
#define TILELAB_PAYLOAD_HPP
#include <pto/cpu/TAssign.hpp>
#include <pto/cpu/TInsert.hpp>
#include <pto/cpu/TLoad.hpp>
#include <pto/cpu/TMov.hpp>
#include <pto/cpu/TStore.hpp>

#include "tilelab/to_vectors.hpp"

namespace tilelab {
inline bool adding = false; // SetAtomicAdd is in force
}

namespace pto {
template <class... Types>
inline void SetAtomicAdd()
{
    tilelab::adding = true;
}
inline void SetAtomicNone() { tilelab::adding = false; }

template <class Tile, class Global, AtomicType Atomic, STPhase Phase>
PTO_INTERNAL void tl_TSTORE(Global& dst, Tile& src)
{
    tilelab::Operands found("TSTORE", Phase == STPhase::Unspecified ? "" : "STPhase::Final");
    found.global(tilelab::WRITE, dst);
    found.tile(tilelab::READ, src);
    found.send();
    TSTORE_IMPL<Tile, Global, Atomic>(dst, src);
}

template <class Global, class Tile>
PTO_INTERNAL void tl_TSTORE(Global& dst, Tile& src)
{
    tl_TSTORE<Tile, Global, AtomicType::AtomicNone, STPhase::Unspecified>(dst, src);
}

template <class Tile, class Global>
PTO_INTERNAL void tl_TLOAD(Tile& dst, Global& src)
{
    tilelab::Operands found("TLOAD", "");
    found.tile(tilelab::WRITE, dst);
    found.global(tilelab::READ, src);
    found.send();
    TLOAD_IMPL(dst, src);
}

template <class Dst, class Src, AccToVecMode Mode>
PTO_INTERNAL void tl_TMOV(Dst& dst, Src& src)
{
    tl_to_vectors<Dst, Src, Mode>(
        dst, src, [](auto value, int64_t) { return static_cast<typename Dst::DType>(value); });
}

// The instruction writes blocks (NZ) into L1 whatever the tile's type says; a push declares it without.
template <class Dst, class Src>
PTO_INTERNAL void tl_TINSERT(Dst& dst, Src& src, uint16_t row, uint16_t col)
{
    if constexpr (Dst::Loc == TileType::Mat && Dst::SFractal == SLayout::NoneBox) {
        using Blocks = Tile<TileType::Mat, typename Dst::DType, Dst::Rows, Dst::Cols, BLayout::ColMajor, -1, -1,
                            SLayout::RowMajor, 512>;
        Blocks blocks(dst.GetValidRow(), dst.GetValidCol());
        TASSIGN_IMPL(blocks, reinterpret_cast<uintptr_t>(dst.data()));
        tl_TINSERT(blocks, src, row, col);
        return;
    }
    tilelab::Operands found("TINSERT", "");
    found.tile(tilelab::WRITE, dst, row, col, src.GetValidRow(), src.GetValidCol());
    found.tile(tilelab::READ, src);
    found.send();
    TINSERT_IMPL(dst, src, static_cast<uint32_t>(row), static_cast<uint32_t>(col));
}

// One element through the fixpipe: a cast, or a quantisation by the scalar or the vector that was set.
template <class To, QuantMode_t Mode, ReluPreMode Relu, class From>
PTO_INTERNAL To tl_fixpipe(From value, int64_t col)
{
    constexpr bool relu = Relu == ReluPreMode::NormalRelu;
    if constexpr (Mode == QuantMode_t::NoQuant || Mode == QuantMode_t::F322F16 || Mode == QuantMode_t::F322BF16) {
        float cast = static_cast<float>(value);
        if constexpr (Mode == QuantMode_t::NoQuant && std::is_same_v<To, From>) {
            return relu && value < From(0) ? From(0) : value;
        }
        return static_cast<To>(relu && cast < 0 ? 0.0f : cast);
    } else {
        char* registers = NPUMemoryModel::Instance().GetREGBase();
        uint64_t scalar;
        if constexpr (is_vector_quant_v<Mode>) {
            uint64_t at;
            std::memcpy(&at, registers + QUANT_VECTOR_REG_OFFSET * 8, 8);
            if (at == 0) {
                tl_fail("a vector quantisation without SET_QUANT_VECTOR");
            }
            std::memcpy(&scalar, reinterpret_cast<char*>(at) + 8 * col, 8);
        } else {
            std::memcpy(&scalar, registers + QUANT_SCALAR_REG_OFFSET * 8, 8);
        }
        return quantize_element<To, From, Mode, relu>(value, scalar);
    }
}

template <class Dst, class Src, AccToVecMode Mode, QuantMode_t Quant, ReluPreMode Relu, STPhase Phase>
PTO_INTERNAL void tl_TMovCcToUb(typename Dst::DType* to, typename Src::DType* from, uint32_t rows, uint32_t cols)
{
    Dst dst;
    Src src;
    TASSIGN_IMPL(dst, reinterpret_cast<uintptr_t>(to));
    TASSIGN_IMPL(src, reinterpret_cast<uintptr_t>(from));
    if (src.GetValidRow() != rows || src.GetValidCol() != cols) {
        tl_fail("a fixpipe push of a tile with dynamic valid shape is not modelled");
    }
    tl_to_vectors<Dst, Src, Mode>(dst, src, [](auto value, int64_t col) {
        return tl_fixpipe<typename Dst::DType, Quant, Relu>(value, col);
    });
}

template <class Global, class Src, QuantMode_t Quant, ReluPreMode Relu, STPhase Phase>
PTO_INTERNAL void tl_TStoreAcc(typename Global::DType* to, typename Src::DType* from, int64_t, int64_t, int64_t,
                               int64_t rows, int64_t cols, int64_t, int64_t, int64_t, int64_t row_stride,
                               int64_t col_stride, int64_t, int64_t)
{
    using To = typename Global::DType;
    Src src;
    TASSIGN_IMPL(src, reinterpret_cast<uintptr_t>(from));
    tilelab::Operands found("TSTORE", Phase == STPhase::Unspecified ? "" : "STPhase::Final");
    found.span(tilelab::WRITE, TL_GM, to, rows, cols * sizeof(To), row_stride * sizeof(To));
    found.tile(tilelab::READ, src, 0, 0, rows, cols);
    found.send();
    for (int64_t r = 0; r < rows; ++r) {
        for (int64_t c = 0; c < cols; ++c) {
            const To value = tl_fixpipe<To, Quant, Relu>(src.GetElement(r, c), c);
            To& place = to[r * row_stride + c * col_stride];
            place = tilelab::adding ? static_cast<To>(place + value) : value;
        }
    }
}
} // namespace pto
#endif
