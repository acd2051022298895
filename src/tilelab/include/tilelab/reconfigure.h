// Other formats for what is prepared already: unpackers, matrix unit and packer go on with the same
// MOPs. Also the packer's own activations, and adding in L1.
#pragma once

#include <tilelab/circular_buffers.h>

namespace tilelab {

constexpr uint32_t FORMAT_BITS = 0xF;

#if defined(TRISC_UNPACK)

// Unpacker A or B takes tiles of this buffer's format from now on. Buffers that copy_tile unpacks into
// Dst are prepared by copy_init.
template <ConfigField Descriptor, ConfigField Out, ConfigField Stride, ConfigField Unsigned>
[[gnu::always_inline]] inline void unpack_format(uint32_t in, uint32_t unpacker) {
    const PlacedBuffer buffer = circular_buffer(in);
    if (buffer.to_dst) return;
    const DataFormat format = plain(buffer.format), src = format_in_src(format);
    TTI_STALLWAIT(p_stall::STALL_CFG, p_stall::UNPACK);
    TT_RMWCIB0(FORMAT_BITS, number(format), Descriptor.word);
    TT_RMWCIB0(FORMAT_BITS, number(src), Out.word);
    cfg_write<Stride>(datum_bytes(src) * FACE_DATUMS);
    cfg_write<Unsigned>(buffer.format == DataFormat::UInt8);
    if (unpacker == 0) gpr_write(GPR_STEP_A, buffer.bytes / 16);
}
[[gnu::always_inline]] inline void unpack_format_a(uint32_t in) {
    TILELAB_NOTE(Note::PREPARES_UNPACK_A, in);
    unpack_format<cfg::THCON_SEC0_REG0_TileDescriptor, cfg::THCON_SEC0_REG2_Out_data_format,
                  cfg::UNP0_ADDR_CTRL_ZW_REG_1_Zstride, cfg::ALU_FORMAT_SPEC_REG0_SrcAUnsigned>(in, 0);
}
[[gnu::always_inline]] inline void unpack_format_b(uint32_t in) {
    TILELAB_NOTE(Note::PREPARES_UNPACK_B, in);
    unpack_format<cfg::THCON_SEC1_REG0_TileDescriptor, cfg::THCON_SEC1_REG2_Out_data_format,
                  cfg::UNP1_ADDR_CTRL_ZW_REG_1_Zstride, cfg::ALU_FORMAT_SPEC_REG0_SrcBUnsigned>(in, 1);
}

#elif defined(TRISC_MATH)

[[gnu::always_inline]] inline void math_format(uint32_t in, bool second) {
    const DataFormat format = circular_buffer(in).format;
    if (goes_to_dst(format)) return;
    TTI_STALLWAIT(p_stall::STALL_CFG, p_stall::MATH | p_stall::WAIT_SFPU);
#ifdef ARCH_WORMHOLE
    if (second)
        cfg_write<cfg::ALU_FORMAT_SPEC_REG1_SrcB>(number(format_in_src(format)));
    else
        cfg_write<cfg::ALU_FORMAT_SPEC_REG0_SrcA>(number(format_in_src(format)));
#endif
    if (!second) cfg_write<cfg::ALU_ACC_CTRL_INT8_math_enabled>(is_8bit_integer(format));
}

#endif

}  // namespace tilelab

// SrcA's buffer, or SrcB's. Names with two buffers for each give the one before first.
[[gnu::always_inline]] inline void reconfig_data_format_srca(uint32_t in) {
    UNPACK((tilelab::unpack_format_a(in)));
    MATH((tilelab::math_format(in, false)));
}
[[gnu::always_inline]] inline void reconfig_data_format_srca(uint32_t, uint32_t in) {
    reconfig_data_format_srca(in);
}
[[gnu::always_inline]] inline void reconfig_data_format_srcb(uint32_t in) {
    UNPACK((tilelab::unpack_format_b(in)));
    MATH((tilelab::math_format(in, true)));
}
[[gnu::always_inline]] inline void reconfig_data_format_srcb(uint32_t, uint32_t in) {
    reconfig_data_format_srcb(in);
}
[[gnu::always_inline]] inline void reconfig_data_format(uint32_t a, uint32_t b) {
    reconfig_data_format_srca(a);
    reconfig_data_format_srcb(b);
}
[[gnu::always_inline]] inline void reconfig_data_format(uint32_t, uint32_t a, uint32_t, uint32_t b) {
    reconfig_data_format(a, b);
}

// What the packer makes of numbers on their way: none, 0 for those below 0, 0 for those up to a
// threshold, or the threshold for those above it (and 0 for those below 0).
class ReluConfig {
public:
    static constexpr ReluConfig none() { return {0, 0}; }
    static constexpr ReluConfig zero() { return {1, 0}; }
    static constexpr ReluConfig min_threshold(uint32_t threshold) { return {2, threshold}; }
    static constexpr ReluConfig max_threshold(uint32_t threshold) { return {3, threshold}; }
    static constexpr ReluConfig from_packed(uint32_t packed) {
        return {packed & 3, packed >> 16 & 0xFFFF};
    }
    uint32_t mode, threshold;

private:
    constexpr ReluConfig(uint32_t mode, uint32_t threshold) : mode(mode), threshold(threshold) {}
};
[[gnu::always_inline]] inline void pack_relu_config(const ReluConfig& relu) {
#ifdef TRISC_PACK
    TTI_STALLWAIT(p_stall::STALL_CFG, p_stall::PACK);
    cfg_write<cfg::STACC_RELU_ApplyRelu>(relu.mode);
    cfg_write<cfg::STACC_RELU_ReluThreshold>(relu.threshold);
#endif
}

// Whether tiles that are packed add to what lies in L1.
[[gnu::always_inline]] inline void pack_reconfig_l1_acc(uint32_t on) {
#ifdef TRISC_PACK
    TTI_STALLWAIT(p_stall::STALL_CFG, p_stall::PACK);
    cfg_write<cfg::THCON_SEC0_REG1_Pack_L1_Acc>(on);
    cfg_write<cfg::THCON_SEC0_REG1_Disable_pack_zero_flags>(on);
#ifdef ARCH_WORMHOLE  // has four packers
    cfg_write<cfg::THCON_SEC0_REG8_Pack_L1_Acc>(on);
    cfg_write<cfg::THCON_SEC1_REG1_Pack_L1_Acc>(on);
    cfg_write<cfg::THCON_SEC1_REG8_Pack_L1_Acc>(on);
    cfg_write<cfg::THCON_SEC0_REG8_Disable_pack_zero_flags>(on);
    cfg_write<cfg::THCON_SEC1_REG1_Disable_pack_zero_flags>(on);
    cfg_write<cfg::THCON_SEC1_REG8_Disable_pack_zero_flags>(on);
#endif
#endif
}
