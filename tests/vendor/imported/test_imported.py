"""Kernels of a live program as folders: what is read of what its host compiled, what is written."""

import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from kernel_maker import build_and_run
from tilelab.formats.l1 import to_l1_bytes
from tilelab.kernels.arrays import placed_bytes
from tilelab.kernels.kernel_toml.file import read_kernel_file
from tilelab.sim.errors import BadInputError
from tilelab.vendor.imported.compiled import read_compiled
from tilelab.vendor.imported.folder import write_folder
from tilelab.vendor.imported.launches import Launch, Ring
from ttnn_runs import HOW, PYTHON

DESCRIPTORS = """
constexpr ckernel::MathFidelity MATH_FIDELITY = static_cast<ckernel::MathFidelity>(2);
constexpr bool APPROX = true;
constexpr uint8_t unpack_src_format[64] = {
    FORMATS
};
constexpr uint8_t unpack_dst_format[64] = {
    FORMATS
};
constexpr bool DST_ACCUM_MODE = true;
#define DST_SYNC_MODE DstSync::SyncFull
"""
ARGUMENTS = """
namespace args {
constexpr experimental::RtaArg<uint32_t> tiles{0};
constexpr experimental::CrtaArg<uint32_t> scale{4};
constexpr experimental::CtaVal<uint32_t> Wt{2u};
}
FORCE_INLINE uint32_t get_vararg(uint32_t idx) { return get_arg_val<uint32_t>(1 + idx); }
inline uint32_t get_common_vararg(uint32_t idx) { return get_common_arg_val<uint32_t>(2 + idx); }
"""
SOURCE = "void kernel_main() { use(get_vararg(0), get_vararg(1)); }\n"


@pytest.fixture
def launch(tmp_path: Path) -> Launch:
    """A launch of a kernel that fills c_16 of c_0, by way of c_2, of floats of 32 bits."""
    folder = tmp_path / "kernels" / "scale" / "123"
    folder.mkdir(parents=True)
    (tmp_path / "scale.cpp").write_text(SOURCE)
    formats = ["255"] * 64
    for number in (0, 2, 16):
        formats[number] = "0"
    files = {
        "chlkc_math.cpp": f'void kernel_main();\n#include "{tmp_path}/scale.cpp"\n',
        "chlkc_descriptors.h": DESCRIPTORS.replace("FORMATS", ",".join(formats)),
        "defines_generated.h": "#pragma once\n#define OP(i) add(i)\n#define FLAG \n",
        "kernel_args_generated.h": ARGUMENTS,
        "kernel_bindings_generated.h": "constexpr DFBBindingToken<dfb::A, dfb::B> in0{0, ::x{}};\n",
        "named_ct_arg_map_generated.h": '#define KERNEL_COMPILE_TIME_ARG_MAP {"Ht",3}\n',
    }
    for name, text in files.items():
        (folder / name).write_text(text)
    page = to_l1_bytes(np.arange(1024, dtype=np.float32).reshape(32, 32), "fp32")
    return Launch(
        folder,
        [5, 6, 7, 0xDEAD],
        [8, 9, 10],
        {
            0: Ring(0x20000, 2 * 4096, 4096, drained=3, filled=0),
            2: Ring(0x24000, 2 * 4096, 4096, drained=3, filled=3),
            7: Ring(0x28000, 2 * 4096, 4096, drained=0, filled=0),
            16: Ring(0x26000, 2 * 4096, 4096, drained=0, filled=3),
        },
        {0: [page] * 3, 2: [page] * 3, 16: [page] * 3},
        {number: [bytes(len(page))] * 3 for number in (0, 2, 16)},
    )


def calls(folder: Path, launch: Launch) -> Path:
    file = folder / "calls.jsonl"
    words = ["-DKERNEL_BUILD", "-DKERNEL_COMPILE_TIME_ARGS=4,0x10", f"-o{launch.folder}/trisc1/a.o"]
    file.write_text(json.dumps(["--version"]) + "\n" + json.dumps(words) + "\n")
    return file


def test_all_that_the_host_told_the_compiler_is_read(launch: Launch, tmp_path: Path) -> None:
    found = read_compiled(launch, calls(tmp_path, launch))
    assert (found.name, found.source, found.beside) == ("scale", SOURCE, tmp_path)
    assert found.defines == {"OP(i)": "add(i)", "FLAG": ""}
    assert found.compile_time_args == (4, 16)
    assert found.named_args == {"tiles": 5, "scale": 9, "Wt": 2, "Ht": 3}
    assert found.runtime_args == (6, 7)  # behind those with names, as many as the source asks for
    assert found.common_runtime_args == ()
    assert found.buffer_names == {"in0": 0}
    assert found.formats == {0: "fp32", 2: "fp32", 16: "fp32"}
    assert (found.math_fidelity, found.math_approx_mode) == ("HiFi2", True)
    assert (found.fp32_dest_acc_en, found.dst_full_sync_en) == (True, True)
    assert found.unpack_to_dest_mode == (0, 2, 16)


def test_a_folder_has_its_buffers_as_input_output_and_neither(
    launch: Launch, tmp_path: Path
) -> None:
    compiled = read_compiled(launch, calls(tmp_path, launch))
    folder = tmp_path / "out"
    write_folder(folder, launch, compiled, "blackhole", str(tmp_path))
    kernel = read_kernel_file(folder, elfs_exist=False)
    (a,), (c,), (ring,) = kernel.inputs, kernel.outputs, kernel.rings
    assert (a.buffer, a.shape, ring.buffer, ring.capacity) == (0, (96, 32), 2, 2)
    assert (c.buffer, c.shape) == (16, (96, 32))
    assert c.exact
    assert np.load(c.exact).tobytes() == b"".join(launch.pages[16])
    assert kernel.build
    assert kernel.build.defines["source"] == {"OP(i)": "add(i)", "FLAG": ""}
    assert kernel.build.headers == str(tmp_path)
    assert (folder / "kernel.cpp").read_text() == SOURCE


def test_what_a_kernel_pushes_without_packing_it_lies_there_before(
    launch: Launch, tmp_path: Path
) -> None:
    """So does what a reader pushes that is no number of the format: its bytes are kept."""
    chance = np.full(1024, 0x7F800001, np.uint32).tobytes()  # a NaN that no array comes to
    launch.pages[0][1] = launch.pages[16][1] = launch.before[16][1] = chance
    compiled = read_compiled(launch, calls(tmp_path, launch))
    folder = tmp_path / "out"
    write_folder(folder, launch, compiled, "blackhole", str(tmp_path))
    kernel = read_kernel_file(folder, elfs_exist=False)
    (a, left), (c,) = kernel.inputs, kernel.outputs
    assert placed_bytes(a) == b"".join(launch.pages[0])
    assert (left.buffer, left.address) == (None, c.address + 4096)
    assert placed_bytes(left) == chance


def test_what_cannot_be_a_folder_says_why(launch: Launch, tmp_path: Path) -> None:
    compiled = read_compiled(launch, calls(tmp_path, launch))
    launch.rings[0] = Ring(0x20000, 2 * 64, 64, drained=3, filled=0)
    with pytest.raises(BadInputError, match="c_0 has pages of 64 bytes, not tiles of 4,096"):
        write_folder(tmp_path / "out", launch, compiled, "blackhole", "x")
    launch.rings[0] = Ring(0x20000, 2 * 4096, 4096, drained=3, filled=0)
    launch.pages[0] *= 100
    with pytest.raises(BadInputError, match=r"take more than .* bytes of one tile's L1"):
        write_folder(tmp_path / "out", launch, compiled, "blackhole", "x")
    launch.rings = {0: Ring(0x20000, 4096, 4096, drained=3, filled=0)}
    launch.pages[0] = launch.pages[16]
    with pytest.raises(BadInputError, match="packs into no circular buffer"):
        write_folder(tmp_path / "out", launch, compiled, "blackhole", "x")
    assert not (tmp_path / "out").exists()


PROGRAM = """
import ttnn
device = ttnn.open_device(device_id=0)
numbers = [i / 100 - 5 for i in range(4096)]
x = ttnn.Tensor(numbers, [1, 1, 64, 64], ttnn.bfloat16, ttnn.TILE_LAYOUT, device)
ttnn.gelu(ttnn.add(x, x))
ttnn.close_device(device)
"""


@pytest.mark.skipif(not PYTHON, reason=HOW)
def test_kernels_of_a_live_program_make_its_bytes_again(tmp_path: Path) -> None:
    assert PYTHON
    (tmp_path / "program.py").write_text(PROGRAM)
    words = ["import", "program.py", "--into", "made", "--python", PYTHON, "--json"]
    command = [sys.executable, "-m", "tilelab", *words]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    made = json.loads(done.stdout)["kernels"]
    assert [(each["kernel"], each["why"]) for each in made] == [
        ("eltwise_binary_no_bcast", ""),
        ("eltwise_sfpu_metal2", ""),
    ]
    for each in made:
        ran = build_and_run(tmp_path / each["folder"])
        assert ran.passed, ran.result.outputs
