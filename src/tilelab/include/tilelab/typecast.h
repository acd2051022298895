// A tile in Dst from one number format to another, by the vector unit.
//
// Floats are as Dst holds them, of 16 or 32 bits. Integers of 32 bits are in two's complement, those
// of 8 bits were unpacked to (and are packed from) sign and magnitude of 32, those of 16 bits are in
// a Dst of 16 bits.
#pragma once

#include <tilelab/vector.h>

namespace tilelab {

constexpr bool is_integer(DataFormat format) {
    return goes_to_dst(format) || is_8bit_integer(format);
}

// How floats of a format lie in Dst.
constexpr sfpi::DataLayout float_layout(DataFormat format) {
    return dst_32bit                  ? sfpi::DataLayout::F32
           : is_fp16_family(format) ? sfpi::DataLayout::F16a
                                      : sfpi::DataLayout::F16b;
}

namespace vec {

constexpr int LARGEST_INT = 0x7FFFFFFF, LEAST_INT = -LARGEST_INT - 1;

// |x| without its fraction, in 32 bits; what is more is `most`.
template <int Bits>
sfpi_inline sfpi::vInt whole_part(sfpi::vFloat x, int most) {
    const sfpi::vInt exponent = sfpi::exexp(x);
    sfpi::vInt whole = 0;
    v_if(exponent >= 0) {
        whole = most;
        v_if(exponent < Bits) {
            whole = sfpi::as<sfpi::vInt>(sfpi::shft(sfpi::as<sfpi::vUInt>(sfpi::exman8(x)), exponent - 23));
        }
        v_endif;
    }
    v_endif;
    return whole;
}

sfpi_inline sfpi::vInt to_int32(sfpi::vFloat x) {
    sfpi::vInt whole = whole_part<31>(x, LARGEST_INT);
    v_if(x < 0.0f) {
        whole = 0 - whole;
        v_if(sfpi::exexp(x) >= 31) { whole = LEAST_INT; }
        v_endif;
    }
    v_endif;
    return whole;
}

sfpi_inline sfpi::vInt to_uint32(sfpi::vFloat x) {
    sfpi::vInt whole = whole_part<32>(x, -1);
    v_if(x < 0.0f) { whole = 0; }
    v_endif;
    return whole;
}

sfpi_inline sfpi::vFloat from_int32(sfpi::vInt n) {
    sfpi::vFloat x = sfpi::convert<sfpi::vFloat>(n, sfpi::RoundMode::Nearest);
    v_if((n ^ LEAST_INT) == 0) { x = -2147483648.0f; }
    v_endif;
    return x;
}

// Of a number that needs 32 bits the last two count as one, which rounds alike.
sfpi_inline sfpi::vFloat from_uint32(sfpi::vInt n) {
    sfpi::vInt half = n;
    v_if(n < 0) {
        half = sfpi::as<sfpi::vInt>(sfpi::shft(sfpi::as<sfpi::vUInt>(n), -1)) | (n & 1);
    }
    v_endif;
    sfpi::vFloat x = sfpi::convert<sfpi::vFloat>(half, sfpi::RoundMode::Nearest);
    v_if(n < 0) { x = x + x; }
    v_endif;
    return x;
}

// SFPSTOCHRND takes a number's magnitude for formats without a sign.
sfpi_inline sfpi::vFloat not_below_zero(sfpi::vFloat x) {
    v_if(x < 0.0f) { x = 0.0f; }
    v_endif;
    return x;
}

// To the nearest bf16, of two the even one; infinities and NaNs stay.
sfpi_inline sfpi::vFloat to_bf16(sfpi::vFloat x) {
    const sfpi::vUInt bits = sfpi::as<sfpi::vUInt>(x), odd = sfpi::shft(bits, -16) & 1;
    sfpi::vFloat rounded = x;
    v_if(sfpi::exexp(x) < 128) {
        rounded = sfpi::as<sfpi::vFloat>((bits + 0x7FFF + odd) & 0xFFFF0000);
    }
    v_endif;
    return rounded;
}

using sfpi::DataLayout, sfpi::dst_reg, sfpi::RoundMode;

template <DataFormat In>
sfpi_inline sfpi::vFloat read_float() {
    if constexpr (In == DataFormat::Int32)
        return from_int32(dst_reg[0].mode<DataLayout::I32>());
    else if constexpr (In == DataFormat::UInt32)
        return from_uint32(dst_reg[0].mode<DataLayout::I32>());
    else if constexpr (In == DataFormat::UInt16)
        return sfpi::convert<sfpi::vFloat>(sfpi::vUInt16(dst_reg[0]), RoundMode::Nearest);
    else if constexpr (is_8bit_integer(In))
        return sfpi::convert<sfpi::vFloat>(sfpi::vSMag(dst_reg[0]), RoundMode::Nearest);
    else
        return dst_reg[0].mode<float_layout(In)>();
}

template <DataFormat Out>
sfpi_inline void write_float(sfpi::vFloat x) {
    if constexpr (Out == DataFormat::Int32)
        dst_reg[0].mode<DataLayout::I32>() = to_int32(x);
    else if constexpr (Out == DataFormat::UInt32)
        dst_reg[0].mode<DataLayout::I32>() = to_uint32(x);
    else if constexpr (Out == DataFormat::UInt16)
        dst_reg[0] = sfpi::convert<sfpi::vUInt16>(not_below_zero(x), RoundMode::Nearest);
    else if constexpr (Out == DataFormat::Int8)
        dst_reg[0] = sfpi::vSMag(sfpi::convert<sfpi::vSMag8>(x, RoundMode::Nearest).get());
    else if constexpr (Out == DataFormat::UInt8)
        dst_reg[0] =
            sfpi::vSMag(sfpi::convert<sfpi::vUInt8>(not_below_zero(x), RoundMode::Nearest).get());
    else if constexpr (Out == DataFormat::Float16_b)
        dst_reg[0].mode<float_layout(Out)>() = to_bf16(x);
    else
        dst_reg[0].mode<float_layout(Out)>() = x;
}

// Between integers of 32 and of 8 bits; the packer saturates.
template <DataFormat In, DataFormat Out>
sfpi_inline void integer_to_integer() {
    if constexpr (is_8bit_integer(In) && is_32bit_integer(Out))
        dst_reg[0].mode<DataLayout::I32>() = sfpi::sign_magnitude_to_int(sfpi::vSMag(dst_reg[0]));
    else if constexpr (In == DataFormat::Int32 && is_8bit_integer(Out)) {
        sfpi::vInt n = dst_reg[0].mode<DataLayout::I32>();
        v_if((n ^ LEAST_INT) == 0) { n = -LARGEST_INT; }  // whose magnitude has a place
        v_endif;
        dst_reg[0] = sfpi::int_to_sign_magnitude(n);
    } else
        static_assert(is_32bit_integer(In) == is_32bit_integer(Out) && In != DataFormat::UInt32 ||
                          is_32bit_integer(Out),
                      "no such conversion");
}

}  // namespace vec
}  // namespace tilelab

// Tile `dst_index`, which holds IN's numbers, becomes OUT's. To integers of 32 bits the fraction is cut
// off, to others numbers are rounded to nearest; what does not fit becomes the largest or the least.
template <uint32_t IN, uint32_t OUT>
[[gnu::always_inline]] inline void typecast_tile_init() {
    constexpr auto in = static_cast<DataFormat>(IN), out = static_cast<DataFormat>(OUT);
    constexpr bool short_one = in == DataFormat::UInt16 || out == DataFormat::UInt16;
    constexpr bool wide_one = tilelab::is_integer(in) && in != DataFormat::UInt16 ||
                              tilelab::is_integer(out) && out != DataFormat::UInt16;
    static_assert(!(short_one && tilelab::dst_32bit), "integers of 16 bits need a Dst of 16 bits");
    static_assert(!(wide_one && !tilelab::dst_32bit), "these integers need a Dst of 32 bits");
}
template <uint32_t IN, uint32_t OUT>
[[gnu::always_inline]] inline void typecast_tile(uint32_t dst_index) {
    constexpr auto in = static_cast<DataFormat>(IN), out = static_cast<DataFormat>(OUT);
    typecast_tile_init<IN, OUT>();
    vector_tile(dst_index, [] {
        if constexpr (tilelab::is_integer(in) && tilelab::is_integer(out))
            tilelab::vec::integer_to_integer<in, out>();
        else
            tilelab::vec::write_float<out>(tilelab::vec::read_float<in>());
    });
}
