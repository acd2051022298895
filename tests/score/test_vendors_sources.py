"""Kernels in the vendor's own sources are scored as ours: LLK's functions, and those of sfpi."""

import os
from pathlib import Path

import pytest

import tilelab
from tilelab.score.tasks import tasks, write

METAL = os.environ.get("TT_METAL_HOME", "")
pytestmark = pytest.mark.skipif(
    not METAL, reason="TT_METAL_HOME names no tt-metal, nor the folder ttnn of its wheel"
)
KERNEL = """
#include "api/compute/common.h"
#include "api/compute/tile_move_copy.h"
#include "api/compute/eltwise_unary/eltwise_unary.h"
#include "api/compute/cb_api.h"
{begin}
void kernel_main() {{
    init_sfpu(tt::CBIndex::c_0, tt::CBIndex::c_16);
    {init}
    for (uint32_t i = 0; i < get_compile_time_arg_val(0); ++i) {{
        tile_regs_acquire();
        cb_wait_front(tt::CBIndex::c_0, 1);
        copy_tile(tt::CBIndex::c_0, 0, 0);
        {call}
        tile_regs_commit();
        cb_pop_front(tt::CBIndex::c_0, 1);
        tile_regs_wait();
        cb_reserve_back(tt::CBIndex::c_16, 1);
        pack_tile(0, tt::CBIndex::c_16);
        cb_push_back(tt::CBIndex::c_16, 1);
        tile_regs_release();
    }}
}}
"""
LLK = {
    "begin": '#include "api/compute/eltwise_unary/gelu.h"',
    "init": "gelu_tile_init<false>();",
    "call": "gelu_tile<false>(0);",
}
SFPI = {
    "begin": """
#ifdef TRISC_MATH
#include "llk_math_eltwise_unary_sfpu_params.h"
#include "sfpi.h"
inline void cube() {
    for (int vector = 0; vector < 32; vector++) {
        const sfpi::vFloat x = sfpi::dst_reg[0];
        sfpi::dst_reg[0] = x * x * x;
        sfpi::dst_reg++;
    }
}
#endif
""",
    "init": "",
    "call": "MATH((_llk_math_eltwise_unary_sfpu_params_(cube, 0, VectorMode::RC_custom)));",
}


@pytest.mark.parametrize(
    ("task", "parts", "worst"), [("gelu", LLK, 8.0), ("cube", SFPI, 1.0)], ids=["llk", "sfpi"]
)
def test_a_task_is_solved_in_the_vendors_sources(
    tmp_path: Path, task: str, parts: dict[str, str], worst: float
) -> None:
    write(tasks()[task], tmp_path, "blackhole", solved=True)
    (tmp_path / "kernel.cpp").write_text(KERNEL.format(**parts))
    file = tmp_path / "kernel.toml"
    lines = [line for line in file.read_text().splitlines() if "fp32_dest" not in line]
    text = "\n".join(line for line in lines if not line.startswith("constants"))
    given = f'headers = "{METAL}"\ncompile_time_args = {{ source = [4] }}\n'
    file.write_text(f"{text}\n{given}")
    (score,) = tilelab.score([tmp_path])
    assert score.category in ("", "Inexact"), score.message
    assert score.ulp is not None
    assert score.ulp.worst.ulp <= worst
    assert score.cycles is not None
    assert score.lregs > 0
