"""What kernel.toml tells the vendor's headers: the formats that its own host tells them."""

import json
import re
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType

import numpy as np
import pytest

from tilelab.kernels.build import build_header
from tilelab.kernels.descriptors import NUMBERS, descriptors
from tilelab.kernels.kernel_toml.file import KernelFile, read_kernel_file
from tilelab.sim.errors import BadInputError

RECORDED = json.loads((Path(__file__).parents[1] / "data" / "descriptors.json").read_text())["rows"]

TOML = """
elfs = { trisc0 = "u.elf", trisc1 = "m.elf", trisc2 = "p.elf" }
inputs = [
  { file = "a.npy", address = 0x21000, format = "%s", layout = "tile", buffer = "c_0" },
]
outputs = [
  { address = 0x24000, shape = [32, 32], format = "%s", layout = "tile", buffer = "c_16" },
]
[done]
mailboxes = { trisc0 = 0x1FFB8, trisc1 = 0x1FFBC, trisc2 = 0x1FFC0 }
[build]
source = "k.cpp"
headers = "."
"""


def kernel(folder: Path, formats: tuple[str, str], more: str = "") -> KernelFile:
    np.save(folder / "a.npy", np.zeros((32, 32), np.float32))
    (folder / "k.cpp").write_text("")
    (folder / "kernel.toml").write_text(TOML % formats + more)
    return read_kernel_file(folder, elfs_exist=False)


def table(text: str, name: str) -> tuple[int, int]:
    found = re.search(rf"(?<!\w){name}\[64\] = {{([^}}]*)}}", text)
    assert found
    words = [int(word) for word in found[1].split(",")]
    assert len(words) == 64
    return words[0], words[16]


def test_formats_are_those_that_the_vendors_host_writes(tmp_path: Path) -> None:
    seen = set()
    for first, second, wide, direct, *wanted in RECORDED:
        more = f"fp32_dest_acc_en = {str(bool(wide)).lower()}\n"
        more += 'unpack_to_dest_mode = ["c_0"]\n' if direct else ""
        text = descriptors(kernel(tmp_path, (first, second), more))
        names = ("unpack_src_format", "unpack_dst_format", "pack_src_format", "pack_dst_format")
        found = [table(text, name) for name in (*names, "unpack_tile_size")]
        assert found == [tuple(each) for each in wanted], (first, second, wide, direct)
        assert f"DST_ACCUM_MODE = {'true' if wide else 'false'}" in text
        seen |= {first, second}
    assert seen == {"bf16", "bfp4", "bfp8", "fp32", "int32", "uint8", "uint16", "uint32"}


def test_a_format_that_the_vendors_headers_do_not_take_is_refused(tmp_path: Path) -> None:
    assert "fp8_e4m3" not in NUMBERS
    with pytest.raises(BadInputError, match="c_0 holds fp8_e4m3; the vendor's headers take"):
        build_header(kernel(tmp_path, ("fp8_e4m3", "bf16")))


def test_names_macros_and_arguments_are_told_for_each_source(tmp_path: Path) -> None:
    read = kernel(tmp_path, ("bf16", "bf16"))
    assert read.build
    build = replace(
        read.build,
        defines=MappingProxyType({"source": {"OP(i)": "add(i)"}}),
        named_args=MappingProxyType({"source": {"Wt": 2}}),
        buffer_names=MappingProxyType({"in0": 0}),
        compile_time_args=MappingProxyType({"source": (7, 8)}),
    )
    text = build_header(replace(read, build=build))
    assert "#define OP(i) add(i)" in text
    assert '#define KERNEL_COMPILE_TIME_ARG_MAP {"Wt", 2u}' in text
    assert "CtaVal<uint32_t> Wt{2u};" in text
    assert "in0{0, ::binding_details::LLKMetadata{.format = 5u" in text
    assert "#define TILELAB_COMPILE_TIME_ARGS 0x7, 0x8" in text
