"""More rates of the vector unit than ``tilelab bench`` has.

usage: python benchmarks/bench_vector.py [ENGINE]
"""

import sys
from functools import partial

import numpy as np
from loops import rates, show

from tilelab.tensix import Tile


def registers(tile: Tile, special: bool = False) -> None:
    """Random numbers in LReg[0..7] and Dst; ``special``: some lanes with infinities and NaNs."""
    rng = np.random.default_rng(0)
    values = rng.standard_normal((8, 32)).astype(np.float32)
    if special:
        values[0, 3] = np.inf
        values[1, 17] = np.nan
    tile.state.record["lreg"][:8] = values.view(np.uint32)
    tile.state.record["dst"] = rng.integers(0, 1 << 16, (1024, 16))


def some_lanes(tile: Tile) -> None:
    """Random registers, half of the lanes enabled."""
    registers(tile)
    tile.state.record["lane_flags"] = 0x5A5A_5A5A


def main(engine: str) -> None:
    """Print the table."""
    encode = {name: row.encode for name, row in Tile(engine="reference").arch.instructions.items()}
    mad = partial(encode["SFPMAD"], lreg_src_a=0, lreg_src_b=1, lreg_src_c=2)
    load, store = encode["SFPLOAD"], encode["SFPSTORE"]
    add = partial(encode["SFPIADD"], lreg_c=0, lreg_dest=3)
    cases = {
        "SFPMAD, half of the lanes": (some_lanes, lambda i: mad(lreg_dest=3)),
        "SFPMAD, specials": (partial(registers, special=True), lambda i: mad(lreg_dest=3)),
        "SFPMAD, indirect": (registers, lambda i: mad(lreg_dest=3, instr_mod1=8)),
        "SFPIADD, with flags": (registers, lambda i: add()),
        "SFPSHFT": (registers, lambda i: encode["SFPSHFT"](lreg_c=0, lreg_dest=3)),
        "SFPAND": (registers, lambda i: encode["SFPAND"](lreg_c=0, lreg_dest=3)),
        "SFPMOV": (registers, lambda i: encode["SFPMOV"](lreg_c=0, lreg_dest=3)),
        "SFPSETCC": (registers, lambda i: encode["SFPSETCC"](lreg_c=0)),
        "SFPSWAP": (registers, lambda i: encode["SFPSWAP"](lreg_dest=3, instr_mod1=1)),
        "SFPLOAD fp32": (registers, lambda i: load(instr_mod0=3, lreg_ind=1, dest_reg_addr=4 * i)),
        "SFPSTORE bf16": (
            registers,
            lambda i: store(instr_mod0=2, lreg_ind=1, dest_reg_addr=4 * i),
        ),
        "SFPSTORE fp32": (
            registers,
            lambda i: store(instr_mod0=3, lreg_ind=1, dest_reg_addr=4 * i),
        ),
    }
    loops = 127 if engine == "fast" else 1
    for name, (setup, word) in cases.items():
        show(name, rates([word(i) for i in range(16)], setup, engine=engine, loops=loops))


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "fast")
