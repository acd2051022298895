"""How many vector kernels of the `ttnn` wheel get their LRegs? (docs/vendor-tests.md)

Every function NAME_tile of the wheel's compute API outside its experimental part is called with
plain arguments, after its NAME_tile_init, and compiled for TRISC1 as ttnn's run-time build does,
unmodified, by tilelab's stand-in. A line for each that does not compile or needs more LRegs, then
the counts.

usage: coloured.py WHEEL blackhole|wormhole [NAME…]

WHEEL is the folder of the package, with tt_metal in it.
"""

import re
import shlex
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

GROUP = 14
"""So many are compiled together, and alone if that fails."""
FORMATS = ("Float16_b", "Int32", "UInt32", "UInt16", "Float32")
"""For functions that take a format: the first that compiles."""
COMPILER = "from tilelab.vendor.standin.driver import main; raise SystemExit(main('zig'))"
CHIPS = {
    "blackhole": ("bh", "blackhole", "blackhole", "ARCH_BLACKHOLE"),
    "wormhole": ("wh", "wormhole_b0", "wormhole", "ARCH_WORMHOLE"),
}
TOO_MANY = "vector values are needed at once"
TEMPLATE = r"((?:template\s*<[^{};]*?>\s*)?)"
FUNCTION = re.compile(TEMPLATE + r"ALWI void (\w+_tile)\(([^)]*)\)\s*\{", re.S)
OPTIONS = shlex.split(
    "-O3 -std=c++17 -ffast-math -fno-finite-math-only -fsigned-zeros -fno-associative-math "
    "-fno-exceptions -fno-rtti -fno-use-cxa-atexit -g -DIS_NOT_POW2_NUM_DRAM_BANKS=1 "
    "-DLOG_BASE_2_OF_NUM_L1_BANKS=0 -DNUM_DRAM_BANKS=12 -DNUM_L1_BANKS=1 -DPCIE_NOC_X=0 "
    "-DPCIE_NOC_Y=3 -DTENSIX_FIRMWARE -DLOCAL_MEM_EN=0 -DDISABLE_SFPLOADMACRO "
    "-DPROCESSOR_INDEX=3 -DUCK_CHLKC_MATH -DCOMPILE_FOR_TRISC=1 -DPROGRAMMABLE_CORE_TYPE=0 "
    "-DDISPATCH_MESSAGE_ADDR=4290183304 -DKERNEL_BUILD"
)
DESCRIPTORS = """#pragma once
#include "llk_defs.h"
constexpr ckernel::MathFidelity MATH_FIDELITY = static_cast<ckernel::MathFidelity>(4);
constexpr bool APPROX = false;
{arrays}
constexpr bool DST_ACCUM_MODE = {wide};
#define DST_SYNC_MODE DstSync::SyncHalf
"""
ARRAYS = {
    **dict.fromkeys(("src_format", "dst_format"), 5),
    **dict.fromkeys(("partial_face", "narrow_tile"), 0),
    **dict.fromkeys(("tile_r_dim", "tile_c_dim"), 32),
    **dict.fromkeys(("num_faces_r_dim", "num_faces_c_dim"), 2),
    **{"tile_num_faces": 4, "tile_face_r_dim": 16, "tile_size": 2048},
}
KERNEL = """#define TRISC_MATH
#include <cstdint>
#include "api/compute/common.h"
#include "api/compute/tile_move_copy.h"
#include "api/compute/eltwise_unary/eltwise_unary.h"
{includes}
{functions}
void kernel_main() {{}}
"""


class Job(NamedTuple):
    """One function: its header, its calls with {format} left open, what cannot be given to it."""

    header: str
    calls: str
    strange: str


def template_arguments(text: str, name: str) -> tuple[str, str]:
    """``(arguments, what cannot be given)`` for a template's parameters without a default."""
    given: list[str] = []
    inner = re.sub(r"^template\s*<|>\s*$", "", text.strip())
    for parameter in inner.split(",") if inner else ():
        if "=" in parameter:
            break
        if "DataFormat" in parameter:
            given.append("DataFormat::{format}")
        elif "bool" in parameter:
            given.append("false")
        elif "int" in parameter:
            given.append("5u" if "cast" in name and not given else "0u")
        else:
            return "", parameter
    return f"<{', '.join(given)}>" if given else "", ""


def arguments(text: str) -> tuple[str, str]:
    """``(arguments, what cannot be given)``: tiles of Dst in order, a one for any other number."""
    given, tiles = [], 0
    for parameter in filter(None, (each.strip() for each in text.split(","))):
        if "=" in parameter:
            continue
        if "dst" in parameter:
            given.append(str(tiles))
            tiles += 1
        elif re.match(r"(const )?(std::)?u?int(32|16|8)?(_t)?\b|unsigned", parameter):
            number = re.search("param|value|alpha|scal", parameter)
            given.append("0x3f800000u" if number else "1u")
        elif parameter.startswith("float"):
            given.append("1.0f")
        elif "bool" in parameter:
            given.append("false")
        else:
            return "", parameter
    return ", ".join(given), ""


def jobs(wheel: Path) -> dict[str, Job]:
    """Every function of the API, by its name."""
    root = wheel / "tt_metal/hw/inc"
    found = {}
    for header in sorted((root / "api/compute").rglob("*.h")):
        if {"debug", "experimental"} & set(header.parts):
            continue
        text = re.sub(r"//[^\n]*|/\*.*?\*/", "", header.read_text(encoding="utf-8"), flags=re.S)
        for template, name, taken in FUNCTION.findall(text):
            (types, strange), (given, other) = template_arguments(template, name), arguments(taken)
            begun = re.search(TEMPLATE + rf"ALWI void {name}_init\(([^)]*)\)", text, re.S)
            calls = ""
            if begun:
                first, unknown = template_arguments(begun[1], name)
                count = sum(1 for each in begun[2].split(",") if each.strip() and "=" not in each)
                calls = f"{name}_init{first}({', '.join(['1u'] * count)}); "
                strange = strange or unknown
            calls += f"{name}{types}({given});"
            found[name] = Job(str(header.relative_to(root)), calls, strange or other)
    return found


class Build:
    """Compiles kernels of some functions each, for one chip."""

    def __init__(self, wheel: Path, chip: str, folder: Path) -> None:
        short, kernels, internal, self.define = CHIPS[chip]
        metal, self.folder = wheel / "tt_metal", folder
        own = metal / "hw/ckernels" / kernels / "metal"
        llk = metal / "tt-llk" / f"tt_llk_{kernels}"
        inside = metal / "hw/inc/internal/tt-1xx"
        defines = f"{'wormhole_b0' if chip == 'wormhole' else chip}_defines"
        places = [folder, wheel, wheel / "ttnn", wheel / "ttnn/cpp", metal / "hw/inc"]
        places += [metal / each for each in ("tt-llk/common", "tt-llk/tools/include")]
        places += [metal / "hostdevcommon/api", metal / "api", own / "common", own / "llk_io"]
        places += [
            inside,
            inside / internal,
            inside / internal / defines,
            inside / internal / "noc",
        ]
        places += [llk / "common/inc", llk / "llk_lib", llk / "llk_lib/hal", own / "llk_api"]
        places += [own / "llk_api/llk_sfpu", metal / "hw/firmware/src/tt-1xx"]
        self.words = [f"-mcpu=tt-{short}-tensix", *OPTIONS, f"-D{self.define}"]
        self.words += [f"-I{place}" for place in places]
        self.source = metal / "hw/firmware/src/tt-1xx/trisck.cc"

    def says(self, chosen: dict[str, Job], data_format: str, wide: bool) -> str:
        """What the compiler says of a kernel with these functions; "" if it is compiled."""
        functions = "\n".join(
            f'extern "C" [[gnu::noinline, gnu::used]] void vector_{name}() {{ {job.calls} }}'
            for name, job in chosen.items()
        )
        includes = "\n".join(
            f'#include "{h}"' for h in dict.fromkeys(j.header for j in chosen.values())
        )
        arrays = "\n".join(
            f"constexpr {'uint16_t' if name == 'tile_size' else 'uint8_t'} unpack_{name}[32] = "
            f"{{{', '.join([str(value)] * 32)}}};"
            for name, value in ARRAYS.items()
        )
        functions = functions.replace("{format}", data_format)
        texts = {
            "chlkc_math.cpp": KERNEL.format(includes=includes, functions=functions),
            "chlkc_descriptors.h": DESCRIPTORS.format(arrays=arrays, wide=str(wide).lower()),
            "defines_generated.h": "#pragma once\n#define INP_FLOAT 1\n#define NOC_MODE 0\n",
        }
        for name, text in texts.items():
            (self.folder / name).write_text(text, encoding="utf-8")
        command = [sys.executable, "-c", COMPILER, *self.words, "-include", "defines_generated.h"]
        command += ["-S", str(self.source), "-o", "kernel.s"]
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, check=False)
        return done.stderr.strip() if done.returncode else ""


def alone(build: Build, name: str, job: Job) -> str:
    """The same for one function, in the first format and width of Dst that compile."""
    said = job.strange and f"takes {job.strange.strip()}"
    open_format = "{format}" in job.calls
    for wide in (False, True) if not said else ():
        for data_format in FORMATS if open_format else FORMATS[:1]:
            said = build.says({name: job}, data_format, wide)
            if not said or TOO_MANY in said:
                return said
    return said


def main(wheel: Path, chip: str, names: list[str]) -> int:
    """Count; the exit code is 1 if a function needs more LRegs than there are."""
    found = {name: job for name, job in jobs(wheel).items() if not names or name in names}
    results: dict[str, str] = {}
    with TemporaryDirectory() as folder:
        build = Build(wheel, chip, Path(folder))
        order = list(found)
        for first in range(0, len(order), GROUP):
            group = {name: found[name] for name in order[first : first + GROUP]}
            if any(job.strange for job in group.values()) or build.says(group, FORMATS[0], False):
                results |= {name: alone(build, name, job) for name, job in group.items()}
            else:
                results |= dict.fromkeys(group, "")
    crowded = [name for name, said in results.items() if TOO_MANY in said]
    for name, said in results.items():
        if said:
            what = "needs more LRegs" if name in crowded else "does not compile"
            line = next((s for s in said.splitlines() if "error" in s), said.splitlines()[0])
            print(f"{name}: {what}: {line[-200:]}", flush=True)
    coloured = sum(1 for said in results.values() if not said)
    print(
        f"{chip}: {coloured} of the {coloured + len(crowded)} that compile get their LRegs; ",
        end="",
    )
    print(f"{len(results) - coloured - len(crowded)} of all {len(results)} do not compile so")
    return 1 if crowded else 0


if __name__ == "__main__":
    if len(sys.argv) < 3 or sys.argv[2] not in CHIPS:
        sys.exit(__doc__)
    sys.exit(main(Path(sys.argv[1]).absolute(), sys.argv[2], sys.argv[3:]))
