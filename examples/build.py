"""Rebuilds the examples' ELFs: python examples/build.py

Needs Debian's gcc-riscv64-unknown-elf (apt install gcc-riscv64-unknown-elf) and tilelab. The
committed ELFs come from version 12.2.0 of that compiler.
"""

import sys
from pathlib import Path

from tilelab.build.compilers import find_compiler
from tilelab.build.kernel import build_kernel
from tilelab.kernels.kernel_toml.file import read_kernel_file
from tilelab.sim.errors import BadInputError


def main() -> int:
    """Build every folder beside this file that holds a kernel.toml; return the exit code."""
    try:
        compiler = find_compiler("gcc")
        for kernel in sorted(Path(__file__).parent.glob("*/kernel.toml")):
            for built in build_kernel(read_kernel_file(kernel, elfs_exist=False), compiler):
                print(built.path)
    except BadInputError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main())
