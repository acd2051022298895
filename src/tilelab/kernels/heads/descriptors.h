#if defined(UCK_CHLKC_MATH) || defined(UCK_CHLKC_PACK)
#include "llk_defs.h"
constexpr auto MATH_FIDELITY = static_cast<ckernel::MathFidelity>(@FIDELITY@);
constexpr bool APPROX = @APPROX@;
#endif
@TABLES@
#if defined(COMPILE_FOR_TRISC)
constexpr bool DST_ACCUM_MODE = @WIDE@;
#define DST_SYNC_MODE DstSync::Sync@SYNC@
#endif
