"""``matmul_tiles`` as ``tensixbench`` measures it: a kernel folder of three unmodified sources.

It is built with tilelab's own headers, not with the vendor's, so the row tests both.
"""

import struct
from pathlib import Path
from tempfile import TemporaryDirectory

from tilelab.build.kernel import build_kernel
from tilelab.calibrate.machine import NotRunError
from tilelab.calibrate.measure import slope
from tilelab.calibrate.perfbench import POINTS, Perfbench
from tilelab.kernels.kernel_toml.file import read_kernel_file
from tilelab.kernels.run import run_kernel
from tilelab.sim.errors import TilelabError
from tilelab.tensix.tile.tile import Tile

RESULTS, STEPS = 0x60000, 64
TOML = """arch = "{arch}"
elfs = {{ ncrisc = "reader.elf", trisc0 = "unpack.elf", trisc1 = "math.elf", trisc2 = "pack.elf" }}
[[buffers]]
buffer = "c_0"
address = 0x30000
tiles = 16
format = "bf16"
[[buffers]]
buffer = "c_1"
address = 0x38000
tiles = 16
format = "bf16"
[[outputs]]
buffer = "c_16"
address = 0x40000
shape = [32, 128]
format = "bf16"
layout = "tile"
[done]
mailboxes = {{ ncrisc = 0x1FFB4, trisc0 = 0x1FFB8, trisc1 = 0x1FFBC, trisc2 = 0x1FFC0 }}
[build]
source = "kernel.cpp"
reader = "reader.cpp"
math_fidelity = "{fidelity}"
runtime_args = {{ source = [{results:#x}, {steps}], reader = [{steps}] }}
"""
COMPUTE = """#include <tilelab/compute_kernel.h>
#define RISCV_DEBUG_REG_WALL_CLOCK_L 0xFFB121F0u
#define tt_l1_ptr
#define tt_reg_ptr
#include "compute/matmul_fidelity.cpp"
"""
READER = '#include "dataflow_api.h"\n#include "dataflow/mm_feeder.cpp"\n'


def cycles_a_tile(bench: Perfbench, arch: str, fidelity: str, core: int) -> float:
    """Cycles of one matmul_tiles on a TRISC; NotRunError if it cannot be built or does not run."""
    folder = "tensixbench/src/kernels"
    source, number = bench.source(f"{folder}/compute", "matmul_fidelity.cpp", "bench_layout.h")
    feeder, _ = bench.source(f"{folder}", "dataflow/mm_feeder.cpp", "compute/bench_layout.h")
    files = {f"compute/{name}": content for name, content in source.files.items()}
    with TemporaryDirectory() as name:
        place = Path(name)
        toml = TOML.format(arch=arch, fidelity=fidelity, results=RESULTS, steps=STEPS)
        texts = {"kernel.toml": toml, "kernel.cpp": COMPUTE, "reader.cpp": READER}
        files |= {at: text.encode() for at, text in texts.items()}
        for at, content in {**files, **feeder.files}.items():
            (place / at).parent.mkdir(parents=True, exist_ok=True)
            (place / at).write_bytes(content)
        tile = Tile(arch, clock="cycle")
        try:
            kernel = read_kernel_file(place / "kernel.toml", elfs_exist=False)
            build_kernel(kernel, bench.builder.compiler)
            run_kernel(place, tile)
        except TilelabError as error:
            raise NotRunError(f"matmul_tiles does not run: {error.summary}") from None
    probes = number["TTBENCH_NUM_PROBES"]
    first = RESULTS + 4 * (number["TTBENCH_HDR_WORDS"] + core * probes * POINTS)
    cycles = struct.unpack(f"<{POINTS}I", tile.read(first, 4 * POINTS))
    return slope([(STEPS * (number + 1), spent) for number, spent in enumerate(cycles)])
