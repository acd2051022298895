"""More rates of the matrix unit than ``tilelab bench`` has.

usage: python benchmarks/bench_matrix.py [ENGINE]
"""

import sys
from functools import partial

import numpy as np
from loops import rates, show

from tilelab.tensix import Tile

BF16, TF32, INT8 = 5, 4, 14


def operands(tile: Tile, data_format: int = BF16, fp32: int = 0, scale: bool = False) -> None:
    """Random datums in both banks of SrcA and SrcB (``scale``: 1.0 in SrcB), for any thread."""
    rng = np.random.default_rng(0)
    record = tile.state.record
    for name in ("src_a", "src_b"):
        values = rng.standard_normal(record[name].shape).astype(np.float32)
        record[name] = values.view(np.uint32) & 0xFFFFE000
        if data_format == INT8:
            integers = rng.integers(-255, 256, record[name].shape)
            record[name] = (integers < 0) << 31 | (integers != 0) << 27 | abs(integers) << 13
        record[f"{name}_valid"] = 1
        record[f"{name}_format"] = data_format
    if scale:
        record["src_b"] = 0x3F800000
    state = tile.state
    state.set_config_field("ALU_FORMAT_SPEC_REG0_SrcA", data_format)
    state.set_config_field("ALU_FORMAT_SPEC_REG1_SrcB", data_format)
    state.set_config_field("ALU_ACC_CTRL_Fp32_enabled", fp32)
    state.set_config_field("ALU_ACC_CTRL_INT8_math_enabled", int(data_format == INT8))


def main(engine: str) -> None:
    """Print the table."""
    encode = {name: row.encode for name, row in Tile(engine="reference").arch.instructions.items()}
    wide = partial(operands, fp32=1)
    cases = {
        "MVMUL, fp32 Dst": (wide, "MVMUL", {}),
        "MVMUL, tf32 to fp32 Dst": (partial(wide, data_format=TF32), "MVMUL", {}),
        "MVMUL, int8": (partial(operands, data_format=INT8), "MVMUL", {}),
        "GMPOOL": (partial(operands, scale=True), "GMPOOL", {"instr_mod19": 1}),
        "ELWADD, fp32 Dst": (wide, "ELWADD", {}),
        "ELWSUB, bf16 Dst": (operands, "ELWSUB", {}),
        "ELWMUL, fp32 Dst": (wide, "ELWMUL", {}),
        "ELWMUL, int8": (partial(operands, data_format=INT8), "ELWMUL", {}),
        "MOVA2D, 8 rows": (operands, "MOVA2D", {"instr_mod": 2}),
        "MOVB2D, 4 rows": (operands, "MOVB2D", {"movb2d_instr_mod": 4}),
        "MOVD2A, 4 rows": (operands, "MOVD2A", {"instr_mod": 2}),
        "MOVD2B, 4 rows": (operands, "MOVD2B", {"instr_mod": 2}),
        "MOVB2A, 4 rows": (operands, "MOVB2A", {"instr_mod": 2}),
    }
    loops = 127 if engine == "fast" else 1
    for name, (setup, instruction, fields) in cases.items():
        to_dst = instruction != "MOVB2A"
        words = [
            encode[instruction](**fields, **({"dst": 8 * (i % 8)} if to_dst else {}))
            for i in range(16)
        ]
        show(name, rates(words, setup, engine=engine, loops=loops))


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "fast")
