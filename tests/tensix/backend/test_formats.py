"""Every format of L1 through the unpackers and packers, against what the host makes of it.

The recordings have no fp8 with four exponent bits, no unsigned bytes and no blocks with a 5-bit
shared exponent going in; here every format goes in and out.
"""

from collections.abc import Iterable
from itertools import product
from typing import NamedTuple

import numpy as np
import pytest
from tdma_bench import BASE, Bench

from tilelab.formats import FORMATS, DataFormat, from_l1_bytes, to_l1_bytes
from tilelab.numerics.operands import values_of
from tilelab.sim.kernel import OK
from tilelab.tensix.backend.dst import bf16_to_dst, fp16_to_dst, fp32_to_dst, int32_to_dst
from tilelab.tensix.backend.src_registers import int8_from_src

CHIPS = ("blackhole", "wormhole")
INTEGERS = np.resize(np.array([0, 1, 127, 5, 64, 100, 3, 2], np.int64), 256)
FLOATS = np.resize(
    np.array([1, -2, 0.5, 3, -0.25, 6, 0, 1.5, -1, 4, 0.75, -3.5, 2, 1, -0.5, 7], np.float32), 256
)
SMALL = np.resize(np.array([1, -1, 1, 1, -1, 1, -1, -1], np.float32), 256)
"""What even two bits under a shared exponent hold."""


class Way(NamedTuple):
    """How a format of L1 gets into SrcA: which code, in which family of registers, with what."""

    code: DataFormat
    registers: str
    settings: dict[str, int] = {}  # noqa: RUF012 - never changed


INTO_SRC = {
    "bf16": Way(DataFormat.BF16, "bf16"),
    "bfp8": Way(DataFormat.BFP8, "bf16"),
    "bfp4": Way(DataFormat.BFP4, "bf16"),
    "bfp2": Way(DataFormat.BFP2, "bf16"),
    "fp16": Way(DataFormat.FP16, "fp16"),
    "fp8_e5m2": Way(DataFormat.FP8, "fp16"),
    "fp8_e4m3": Way(DataFormat.FP8, "fp16", {"THCON_SEC0_REG1_Unp_LF8_4b_exp": 1}),
    "bfp8a": Way(DataFormat.BFP8A, "fp16"),
    "bfp4a": Way(DataFormat.BFP4A, "fp16"),
    "bfp2a": Way(DataFormat.BFP2A, "fp16"),
    "int8": Way(DataFormat.INT8, "int8"),
    "uint8": Way(DataFormat.INT8, "int8", {"ALU_FORMAT_SPEC_REG0_SrcAUnsigned": 1}),
}
ONLY_MOVED = {"fp32", "tf32", "uint16", "int16", "uint32", "int32", "int32sm"}
"""Formats that no datum of SrcA holds as they are: to Dst, converted to others, or opaque."""


def pairs(names: Iterable[str]) -> list[tuple[str, str]]:
    """Chips with formats; Wormhole has no fp8 with four exponent bits."""
    every = product(CHIPS, names)
    return [pair for pair in every if pair != ("wormhole", "fp8_e4m3")]


def data_for(name: str) -> np.ndarray:
    if name in ("int8", "uint8"):
        return INTEGERS * (np.where(np.arange(256) % 3, 1, -1) if name == "int8" else 1)
    return SMALL if name.startswith(("bfp2", "bfp4")) else FLOATS


def test_every_format_is_accounted_for() -> None:
    assert INTO_SRC.keys() | ONLY_MOVED == set(FORMATS)


@pytest.mark.parametrize(("chip", "name"), pairs(INTO_SRC))
def test_into_src(chip: str, name: str) -> None:
    bench, way, wanted = Bench(chip), INTO_SRC[name], data_for(name)
    bench.put(to_l1_bytes(np.resize(wanted, 1024), name, "row_major"))
    bench.unpacker(0, way.code, way.code)
    bench.set(**way.settings)
    assert bench.unpack(0) == OK
    data = bench.record["src_a"][0, :16].ravel()
    if way.registers == "int8":
        got = np.array([int8_from_src(int(datum)) for datum in data.view(np.int32)])
    else:
        got = values_of(data, way.registers == "fp16")
    np.testing.assert_array_equal(got, wanted)


@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize("code", [DataFormat.BF16, DataFormat.FP16, DataFormat.TF32])
def test_fp32_is_narrowed_on_its_way_to_src(chip: str, code: DataFormat) -> None:
    bench = Bench(chip)
    bench.put(to_l1_bytes(np.resize(FLOATS, 1024), "fp32", "row_major"))
    bench.unpacker(0, DataFormat.FP32, code)
    assert bench.unpack(0) == OK
    data = bench.record["src_a"][0, :16].ravel()
    np.testing.assert_array_equal(values_of(data, code == DataFormat.FP16), FLOATS)


class Out(NamedTuple):
    """How a format gets from Dst into L1: what Dst holds, both codes, and with what."""

    dst: str
    code_in: DataFormat
    code_out: DataFormat
    settings: dict[str, int] = {}  # noqa: RUF012 - never changed


OUT_OF_DST = {
    "bf16": Out("bf16", DataFormat.BF16, DataFormat.BF16),
    "tf32": Out("bf16", DataFormat.BF16, DataFormat.TF32),
    "fp32": Out("fp32", DataFormat.FP32, DataFormat.FP32),
    "bfp8": Out("bf16", DataFormat.BF16, DataFormat.BFP8),
    "bfp4": Out("bf16", DataFormat.BF16, DataFormat.BFP4),
    "bfp2": Out("bf16", DataFormat.BF16, DataFormat.BFP2),
    "fp16": Out("fp16", DataFormat.FP16, DataFormat.FP16),
    "fp8_e5m2": Out("fp16", DataFormat.FP16, DataFormat.FP8),
    "fp8_e4m3": Out("fp16", DataFormat.FP16, DataFormat.FP8, {"THCON_SEC0_REG1_Pac_LF8_4b_exp": 1}),
    "bfp8a": Out("fp16", DataFormat.FP16, DataFormat.BFP8A),
    "bfp4a": Out("fp16", DataFormat.FP16, DataFormat.BFP4A),
    "bfp2a": Out("fp16", DataFormat.FP16, DataFormat.BFP2A),
    "int32sm": Out("int32sm", DataFormat.INT32, DataFormat.INT32),
    "int8": Out("int32sm", DataFormat.INT8, DataFormat.INT8),
    "uint8": Out(
        "int32sm", DataFormat.INT8, DataFormat.INT8, {"PCK_DEST_RD_CTRL_Read_unsigned": 1}
    ),
}
OPAQUE = {"uint16", "int16", "uint32", "int32"}
"""Formats that hardware moves as 16 or 32 bits, whatever these mean."""


def fill_dst(bench: Bench, name: str, row: np.ndarray) -> None:
    """Put 16 data into Dst's first row, of 16 or 32 bits."""
    if name in ("bf16", "fp16"):
        encode = {"bf16": bf16_to_dst, "fp16": fp16_to_dst}[name]
        bits = np.frombuffer(to_l1_bytes(row, name, "row_major"), "<u2")
        bench.record["dst"][0] = [encode(int(x)) for x in bits]
        return
    if name == "fp32":
        bits = np.frombuffer(to_l1_bytes(row, name, "row_major"), "<u4")
        words = [fp32_to_dst(int(x)) for x in bits]
    else:
        words = [int32_to_dst(int(x)) for x in row]
    bench.record["dst"][0] = [word >> 16 for word in words]
    bench.record["dst"][8] = [word & 0xFFFF for word in words]


def test_every_format_comes_out() -> None:
    assert OUT_OF_DST.keys() | OPAQUE == set(FORMATS)


@pytest.mark.parametrize(("chip", "name"), pairs(OUT_OF_DST))
def test_out_of_dst(chip: str, name: str) -> None:
    bench, out = Bench(chip), OUT_OF_DST[name]
    row = data_for(name if not name.startswith("int32") else "int8")[:16]
    fill_dst(bench, out.dst, row)
    bench.packer(out.code_in, out.code_out, wide=int(out.dst in ("fp32", "int32sm")))
    for section in ("SEC0_REG1", "SEC0_REG8"):
        bench.set(**{f"THCON_{section}_Exp_section_size": int("bfp" in name)})
    bench.set(**out.settings)
    fields = {"read_intf_sel": 1} if chip == "blackhole" else {"pack_sel": 1}
    assert bench.issue("PACR", 2, last=1, **fields) == OK
    wanted = to_l1_bytes(row, name, "row_major")
    assert bench.bytes_at(BASE, len(wanted)) == wanted
    np.testing.assert_array_equal(from_l1_bytes(wanted, (16,), name, "row_major"), row)
