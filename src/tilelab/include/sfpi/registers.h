// Dst, the LRegs by number, and the programmable constants.
#pragma once

#include <sfpi/conditions.h>
#if __has_include(<tilelab_build.h>)
#include <tilelab_build.h>  // which layout integers with a sign have in the kernel's buffers
#endif

namespace sfpi {

// How values lie in Dst; what a vector type uses by itself is Default.
enum class DataLayout {
    Default, FSrcB, F32, F16a, F16b, I32, U32, U16, SM32, SM16, M32, LO16, HI16
};

vSMag SFPI_INLINE int_to_sign_magnitude(vInt v);
vInt SFPI_INLINE sign_magnitude_to_int(vSMag v);

namespace impl {

using L = DataLayout;

constexpr unsigned float_format(L layout) {
    return layout == L::F32 ? 3 : layout == L::F16a ? 1 : layout == L::F16b ? 2 : 0;
}
constexpr unsigned word_format(L layout) {
    return layout == L::U16 ? 6 : layout == L::LO16 ? 9 : layout == L::HI16 ? 7
         : layout == L::SM16 ? 8 : 4;
}

// The layout of a vInt in Dst that names none: the vendor's, unless the kernel's buffers hold
// integers with a sign; Default if they hold both kinds.
#ifdef TILELAB_SIGNED_IN_DST
constexpr L SIGNED = L::TILELAB_SIGNED_IN_DST;
#else
constexpr L SIGNED = SFPI_WORMHOLE ? L::SM32 : L::I32;
#endif

// Four rows of Dst.
template <L layout> class DstRow {
    uint32_t address;
    int addr_mode;

    template <L wanted> static constexpr L or_else() { return layout == L::Default ? wanted : layout; }
    SFPI_INLINE op::vec read(unsigned format) const {
        return op::load(address, format, addr_mode < 0 ? SFPLOAD_ADDR_MODE_NOINC : addr_mode);
    }
    SFPI_INLINE void write(vVal v, unsigned format) const {
        op::store(v.get(), address, format, addr_mode < 0 ? SFPSTORE_ADDR_MODE_NOINC : addr_mode);
    }

  public:
    constexpr SFPI_INLINE DstRow(uint32_t address, int addr_mode)
        : address(address), addr_mode(addr_mode) {}

    // With another layout, and by another address modifier.
    template <L other = L::Default> constexpr SFPI_INLINE auto mode(int modifier = -1) const {
        return DstRow<other == L::Default ? layout : other>(address, modifier < 0 ? addr_mode : modifier);
    }

    SFPI_INLINE operator vFloat() const { return read(float_format(or_else<L::FSrcB>())); }
    SFPI_INLINE operator vFloat16a() const { return vFloat16a(read(float_format(or_else<L::F16a>()))); }
    SFPI_INLINE operator vFloat16b() const { return vFloat16b(read(float_format(or_else<L::F16b>()))); }
    SFPI_INLINE operator vUInt() const { return read(word_format(or_else<L::U32>())); }
    SFPI_INLINE operator vMag() const { return vMag(read(word_format(or_else<L::M32>()))); }
    SFPI_INLINE operator vUInt16() const { return vUInt16(read(word_format(or_else<L::U16>()))); }
    SFPI_INLINE operator vSMag16() const { return vSMag16(read(word_format(or_else<L::SM16>()))); }

    SFPI_INLINE void operator=(vFloat v) const { write(v, float_format(or_else<L::FSrcB>())); }
    SFPI_INLINE void operator=(vFloat16a v) const { write(v, float_format(or_else<L::F16a>())); }
    SFPI_INLINE void operator=(vFloat16b v) const { write(v, float_format(or_else<L::F16b>())); }
    SFPI_INLINE void operator=(float f) const { *this = vFloat(f); }
    SFPI_INLINE void operator=(vUInt v) const { write(v, word_format(or_else<L::U32>())); }
    SFPI_INLINE void operator=(vMag v) const { write(v, word_format(or_else<L::M32>())); }
    SFPI_INLINE void operator=(vUInt16 v) const { write(v, word_format(or_else<L::U16>())); }
    SFPI_INLINE void operator=(vSMag16 v) const { write(v, word_format(or_else<L::SM16>())); }

    // 32-bit integers with a sign, in two's complement (I32) or sign and magnitude in Dst. Wormhole's
    // loads and stores convert.
    template <L any> static constexpr bool sign_magnitude() {
        constexpr L signed_layout = any == L::Default ? SIGNED : any;
        static_assert(signed_layout != L::Default,
                      "the kernel's buffers hold integers in two's complement and in sign and magnitude: "
                      "say which, by dst_reg[…].mode<DataLayout::I32>() or <DataLayout::SM32>()");
        return signed_layout == L::SM32;
    }
#if SFPI_WORMHOLE
    SFPI_INLINE operator vInt() const { return read(sign_magnitude<layout>() ? 12 : 4); }
    SFPI_INLINE void operator=(vInt v) const { write(v, sign_magnitude<layout>() ? 12 : 4); }
    SFPI_INLINE operator vSMag() const {
        return vSMag(read(layout == L::I32 ? 12 : word_format(or_else<L::SM32>())));
    }
    SFPI_INLINE void operator=(vSMag v) const {
        write(v, layout == L::I32 ? 12 : word_format(or_else<L::SM32>()));
    }
#else
    SFPI_INLINE operator vInt() const {
        if constexpr (sign_magnitude<layout>()) return sign_magnitude_to_int(vSMag(read(4)));
        else return read(4);
    }
    SFPI_INLINE void operator=(vInt v) const {
        if constexpr (sign_magnitude<layout>()) write(int_to_sign_magnitude(v), 4);
        else write(v, 4);
    }
    SFPI_INLINE operator vSMag() const {
        if constexpr (layout == L::I32) return int_to_sign_magnitude(vInt(read(4)));
        else return vSMag(read(word_format(or_else<L::SM32>())));
    }
    SFPI_INLINE void operator=(vSMag v) const {
        if constexpr (layout == L::I32) write(sign_magnitude_to_int(v), 4);
        else write(v, word_format(or_else<L::SM32>()));
    }
#endif
    SFPI_INLINE void operator=(const DstRow& other) const { *this = vFloat(other); }
    SFPI_INLINE vFloat operator-() const { return -vFloat(*this); }
    constexpr SFPI_INLINE DstRow(const DstRow&) = default;
};

struct DstRegFile {
    constexpr SFPI_INLINE DstRow<L::Default> operator[](int row) const {
        return {uint32_t(row) * SFP_DESTREG_STRIDE, -1};
    }
    SFPI_INLINE void operator+=(int rows) const { op::advance_dst(uint32_t(rows) * SFP_DESTREG_STRIDE); }
    SFPI_INLINE void operator++() const { *this += 1; }
    SFPI_INLINE void operator++(int) const { *this += 1; }
};

// One LReg, by its number.
class LReg {
    unsigned n;

  public:
    constexpr SFPI_INLINE explicit LReg(unsigned n) : n(n) {}
    constexpr SFPI_INLINE LReg(const LReg&) = default;
    template <Vector T> SFPI_INLINE operator T() const { return T(op::read_lreg(n)); }
    SFPI_INLINE operator op::vec() const { return op::read_lreg(n); }
    SFPI_INLINE void operator=(vVal v) const { op::write_lreg(v.get(), n); }
    SFPI_INLINE void operator=(const LReg& other) const { op::write_lreg(op::read_lreg(other.n), n); }
    // What was assigned to it is needed up to here, and no longer.
    SFPI_INLINE void in_use() const { op::keep_lreg(n); }
};

// A constant LReg. Its value comes from eight lanes of the assigned vector.
template <Vector T> class Constant {
    unsigned n;

  public:
    constexpr SFPI_INLINE explicit Constant(unsigned n) : n(n) {}
    SFPI_INLINE operator T() const { return T(op::read_lreg(n)); }
    SFPI_INLINE void operator=(T v) const { op::write_config(v.get(), n); }
    void operator=(const Constant&) const = delete;
};

}  // namespace impl

enum class LRegs : unsigned char { LReg0, LReg1, LReg2, LReg3, LReg4, LReg5, LReg6, LReg7, LRegCount };

namespace impl {
struct LRegFile {
    constexpr SFPI_INLINE LReg operator[](LRegs n) const { return LReg(unsigned(n)); }
};
}  // namespace impl

constexpr impl::DstRegFile dst_reg{};
constexpr impl::LRegFile l_reg{};
constexpr impl::Constant<vFloat> vConst0(CREG_IDX_0), vConst1(CREG_IDX_1), vConstNeg1(CREG_IDX_NEG_1),
    vConst0p8373(CREG_IDX_0P837300003), vConstFloatPrgm0(CREG_IDX_PRGM1),
    vConstFloatPrgm1(CREG_IDX_PRGM2), vConstFloatPrgm2(CREG_IDX_PRGM3);
constexpr impl::Constant<vInt> vConstIntPrgm0(CREG_IDX_PRGM1), vConstIntPrgm1(CREG_IDX_PRGM2),
    vConstIntPrgm2(CREG_IDX_PRGM3), vConstTileId(CREG_IDX_TILEID);

// A variable of this type asks for code that needs few LRegs; the build does what it can anyway.
struct lreg_pressure {
    SFPI_INLINE lreg_pressure() {}
    SFPI_INLINE ~lreg_pressure() {}
};

}  // namespace sfpi
