"""How many vector kernels of the `ttnn` wheel get their LRegs? (docs/vendor-tests.md)

Every function NAME_tile of the wheel's compute API outside its experimental part is called with
plain arguments, after its NAME_tile_init, and compiled for TRISC1 as ttnn's run-time build does,
unmodified, by tilelab's stand-in. A line for each that does not compile or needs more LRegs, then
the counts.

usage: coloured.py WHEEL blackhole|wormhole [NAME…]

WHEEL is the folder of the package, with tt_metal in it.
"""

import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tilelab.calibrate.compute_api import Call, calls, headers, words
from tilelab.vendor.headers.tree import PROCESSORS

GROUP = 14
"""So many are compiled together, and alone if that fails."""
FORMATS = ("Float16_b", "Int32", "UInt32", "UInt16", "Float32")
"""For functions that take a format: the first that compiles."""
COMPILER = "from tilelab.vendor.standin.driver import main; raise SystemExit(main('zig'))"
TOO_MANY = "vector values are needed at once"
KERNEL = """#define TRISC_MATH
#include <cstdint>
#include "api/compute/common.h"
#include "api/compute/tile_move_copy.h"
#include "api/compute/eltwise_unary/eltwise_unary.h"
{includes}
{functions}
void kernel_main() {{}}
"""


class Build:
    """Compiles kernels of some functions each, for one chip."""

    def __init__(self, wheel: Path, chip: str, folder: Path) -> None:
        metal, self.folder = wheel / "tt_metal", folder
        self.words = ["-DDISABLE_SFPLOADMACRO", *words(metal, chip, folder)]
        self.source = metal / "hw/firmware/src/tt-1xx/trisck.cc"

    def says(self, chosen: dict[str, Call], data_format: str, wide: bool) -> str:
        """What the compiler says of a kernel with these functions; "" if it is compiled."""
        functions = "\n".join(
            f'extern "C" [[gnu::noinline, gnu::used]] void vector_{name}() {{ {job.both} }}'
            for name, job in chosen.items()
        )
        includes = "\n".join(
            f'#include "{h}"' for h in dict.fromkeys(j.header for j in chosen.values())
        )
        functions = functions.replace("{format}", data_format)
        texts = {
            "chlkc_math.cpp": KERNEL.format(includes=includes, functions=functions),
            **headers(wide),
        }
        for name, text in texts.items():
            (self.folder / name).write_text(text, encoding="utf-8")
        command = [sys.executable, "-c", COMPILER, *self.words, "-include", "defines_generated.h"]
        command += ["-S", str(self.source), "-o", "kernel.s"]
        done = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, check=False)
        return done.stderr.strip() if done.returncode else ""


def alone(build: Build, name: str, job: Call) -> str:
    """The same for one function, in the first format and width of Dst that compile."""
    said = job.strange and f"takes {job.strange.strip()}"
    open_format = "{format}" in job.both
    for wide in (False, True) if not said else ():
        for data_format in FORMATS if open_format else FORMATS[:1]:
            said = build.says({name: job}, data_format, wide)
            if not said or TOO_MANY in said:
                return said
    return said


def main(wheel: Path, chip: str, names: list[str]) -> int:
    """Count; the exit code is 1 if a function needs more LRegs than there are."""
    found = {
        name: job for name, job in calls(wheel / "tt_metal").items() if not names or name in names
    }
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
    if len(sys.argv) < 3 or sys.argv[2] not in PROCESSORS:
        sys.exit(__doc__)
    sys.exit(main(Path(sys.argv[1]).absolute(), sys.argv[2], sys.argv[3:]))
