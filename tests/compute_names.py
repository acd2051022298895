"""The vendor's names of the compute API, and which of them tilelab's own headers have.

``python -m tests.compute_names WHEEL`` writes ``src/tilelab/build/compute_names.json`` anew; WHEEL
is the folder of the package ``ttnn``.
"""

import json
import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tilelab.build.compilers import find_compiler
from tilelab.build.headers import folders, write_headers
from tilelab.build.kernel import source_kernel
from tilelab.build.names import COMPUTE_API
from tilelab.kernels.build import build_header

PLACE = "tt_metal/hw/inc/api/compute"
HEADERS = ("columns", "special", "dst_tiles", "typecast", "vector", "print")
_FUNCTION = re.compile(r"^(?:\[\[.*?\]\] )?ALWI \w[\w:<>]* (\w+)\(", re.MULTILINE)


def vendors(wheel: Path) -> dict[str, str]:
    """Each function of the vendor's API, and the header that has it first, in alphabetic order."""
    found: dict[str, str] = {}
    for path in sorted((wheel / PLACE).rglob("*.h")):
        name = path.relative_to(wheel / PLACE).as_posix()
        if name.startswith(("experimental", "sentinel", "debug")):
            continue
        for function in _FUNCTION.findall(path.read_text(errors="replace")):
            found.setdefault(function, name)
    return dict(sorted(found.items()))


def ours(names: list[str]) -> set[str]:
    """Which of some names a compute kernel finds in tilelab's headers, by preprocessing them."""
    compiler = find_compiler("zig")
    with TemporaryDirectory() as name:
        folder = Path(name)
        source = folder / "all.cpp"
        source.write_text("".join(f"#include <tilelab/{one}.h>\n" for one in HEADERS))
        write_headers("blackhole", folder)
        (folder / "tilelab_build.h").write_text(build_header(source_kernel(source)))
        command = [*compiler.compiling("blackhole", False), "-DTRISC_MATH", "-DARCH_BLACKHOLE"]
        command += [f"-isystem{each}" for each in folders(folder)]
        command += ["-E", "-P", str(source), "-o", str(folder / "all.ii")]
        subprocess.run(command, check=True, env=compiler.environment(folder))
        text = (folder / "all.ii").read_text()
    return {one for one in names if re.search(rf"\bvoid {one}\(|\buint32_t {one}\(", text)}


def main() -> int:
    """Write the file."""
    names = vendors(Path(sys.argv[1]))
    there = ours([*names])
    rows = {name: [header, name in there] for name, header in names.items()}
    told = {"source": "ttnn 0.81.1, tt_metal/hw/inc/api/compute", "names": rows}
    COMPUTE_API.write_text(json.dumps(told, indent=0) + "\n")
    print(f"{len(there)} of {len(names)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
