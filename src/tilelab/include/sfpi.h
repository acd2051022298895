// C++ for the vector unit: vectors of 32 lanes, predicated by v_if, on Blackhole and Wormhole.
//
//   #include <sfpi.h>
//   sfpi::vFloat x = sfpi::dst_reg[0];
//   v_if(x < 0.0f) { x = 0.0f; }
//   v_endif;
//   sfpi::dst_reg[0] = x;
//
// Names and meaning are those of the vendor's documented interface, so that its kernels compile
// with either. docs/kernels.md says what the build makes of it.
#pragma once

#include <sfpi/convert.h>

// The intrinsics that kernels call by name.
#define __builtin_rvtt_sfpmad(a, b, c, mod1) ::sfpi::op::mad(a, b, c, mod1)
#define __builtin_rvtt_sfpiadd_i(c, imm, mod1) ::sfpi::op::iadd_imm12(c, imm, (mod1) | 1)
#if !SFPI_WORMHOLE
#define __builtin_rvtt_sfpgt(b, c, mod1) ::sfpi::op::gt(b, c, mod1)
#endif
