"""Rates of unpacking and packing tiles in many formats.

usage: python benchmarks/bench_tdma.py [ENGINE]

A tile is 1024 data: one UNPACR, or 16 PACRs of four rows each.
"""

import sys

import numpy as np
from loops import rates, show

from tilelab.formats.data_format import DataFormat
from tilelab.tensix import Tile

FP32, FP16, BF16 = DataFormat.FP32, DataFormat.FP16, DataFormat.BF16
TF32, BFP8, INT8 = DataFormat.TF32, DataFormat.BFP8, DataFormat.INT8
IN, OUT = 0x20000, 0x40000


def configure(tile: Tile, fields: dict[str, int]) -> None:
    """Set configuration fields by name."""
    for name, value in fields.items():
        for bank in range(1 if not name.startswith(("SRCA_SET", "ADDR_MOD")) else 3):
            tile.state.set_config_field(name, value, bank)


def unpacker(tile: Tile, in_format: int, out_format: int, u: int, to_dst: int) -> None:
    """Configure an unpacker for tiles of 64 rows at IN."""
    rng = np.random.default_rng(0)
    tile.write(IN, rng.integers(0, 256, 8192).astype(np.uint8).tobytes())
    sec = f"THCON_SEC{u}"
    configure(
        tile,
        {
            f"{sec}_REG0_TileDescriptor": in_format | 1 << 4 | 1024 << 16,
            f"{sec}_REG2_Out_data_format": out_format,
            f"{sec}_REG2_Disable_zero_compress_cntx0": 1,
            f"{sec}_REG3_Base_address": (IN >> 4) - 1,
            "THCON_SEC0_REG2_Unpack_if_sel_cntx0": to_dst,
            "THCON_SEC0_REG5_Dest_cntx0_address": 64,
            "THCON_SEC0_REG5_Tile_x_dim_cntx0": 1024,
            "SRCA_SET_SetOvrdWithAddr": 1 - to_dst,
        },
    )
    word = 1 + (tile.state.s.f.THCON_SEC_REG0_TileDescriptor[u] >> 16)
    tile.state.record["config"][0, word] = 1 | 1 << 16
    tile.state.record["adc"]["x"][0, u] = (0, 1023)


def packer(tile: Tile, in_format: int, out_format: int, wide: int) -> None:
    """Configure the packer for tiles of 64 rows at OUT."""
    rng = np.random.default_rng(0)
    tile.state.record["dst"] = rng.integers(0, 1 << 16, (1024, 16))
    configure(
        tile,
        {
            "ALU_FORMAT_SPEC_REG2_Dstacc": in_format,
            "PCK_DEST_RD_CTRL_Read_32b_data": wide,
            "PCK0_ADDR_CTRL_XY_REG_0_Ystride": 64 if in_format == FP32 else 32,
            "PCK_EDGE_OFFSET_SEC0_mask": 0xFFFF,
            "ADDR_MOD_PACK_SEC0_YsrcIncr": 4,
            "ADDR_MOD_PACK_SEC1_YsrcClear": 1,
            "THCON_SEC0_REG1_In_data_format": in_format,
            "THCON_SEC0_REG1_Out_data_format": out_format,
            "THCON_SEC0_REG1_L1_Dest_addr": (OUT >> 4) - 1,
            "PACK_COUNTERS_SEC0_pack_reads_per_xy_plane": 16,
        },
    )
    tile.state.record["adc"]["x"][2, 2] = (0, 15)


def main(engine: str) -> None:
    """Print the table."""
    rows = Tile(engine="reference").arch.instructions
    loops = 20 if engine == "fast" else 1
    runs = 7 if engine == "fast" else 1
    for name, in_format, out_format, u, to_dst in (
        ("UNPACR bf16 to SrcB", BF16, BF16, 1, 0),
        ("UNPACR fp32->tf32 to SrcA", FP32, TF32, 0, 0),
        ("UNPACR fp32->bf16 to SrcA", FP32, BF16, 0, 0),
        ("UNPACR fp16 to SrcA", FP16, FP16, 0, 0),
        ("UNPACR bfp8 to SrcA", BFP8, BFP8, 0, 0),
        ("UNPACR int8 to SrcA", INT8, INT8, 0, 0),
        ("UNPACR bf16 to Dst", BF16, BF16, 0, 1),
        ("UNPACR fp32 to Dst", FP32, FP32, 0, 1),
    ):
        word = rows["UNPACR"].encode(unpack_block_selection=u, ovrd_thread_id=1, last=1)

        def unpack(tile: Tile, case: tuple[int, ...] = (in_format, out_format, u, to_dst)) -> None:
            unpacker(tile, *case)

        show(name, rates([word], unpack, 0, engine, loops, runs), what="tiles")
    tile_words = [rows["PACR"].encode(addr_mode=i // 15, last=i // 15) for i in range(16)]
    for name, in_format, out_format, wide in (
        ("PACR fp32", FP32, FP32, 1),
        ("PACR fp16", FP16, FP16, 0),
        ("PACR fp32->bf16", BF16, BF16, 1),
        ("PACR bf16->bfp8", BFP8, BFP8, 0),
        ("PACR bf16->fp32", BF16, FP32, 0),
    ):

        def pack(tile: Tile, case: tuple[int, ...] = (in_format, out_format, wide)) -> None:
            packer(tile, *case)

        show(name, rates(tile_words, pack, 2, engine, loops, runs), per=16, what="tiles")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "fast")
