"""``compile_commands.json``: what an editor's C++ server needs to know of a kernel.

It names Clang's command for each core, with tilelab's headers. What kernel.toml tells the source is
a generated header, which is written beside it into ``.tilelab``.
"""

import json
from pathlib import Path

from tilelab.sim.errors import BadInputError
from tilelab.sim.files import writing
from tilelab.tensix.kernel_toml.file import KernelFile
from tilelab.tensix.programs.build import ROLES, build_header
from tilelab.tensix.programs.headers import INCLUDE

FOLDER = ".tilelab"
HEADER = "tilelab_build.h"
DATABASE = "compile_commands.json"
FIRST = "trisc1"
"""The core whose command comes first: the one that editors take for a file of several."""


def write_commands(kernel: KernelFile) -> Path:
    """Write a kernel's compile_commands.json; returns its path.

    BadInputError if the kernel has no ``[build]``, or if it cannot be written.
    """
    header = build_header(kernel)
    assert kernel.build is not None  # build_header has checked it
    source = kernel.build.source
    generated = kernel.path.parent / FOLDER
    try:
        generated.mkdir(exist_ok=True)
    except OSError as error:
        raise BadInputError(f"{generated}: {error.strerror}") from None
    with writing(generated / HEADER) as at:
        at.write_text(header, encoding="ascii")
    entries = [
        {
            "directory": str(source.parent),
            "file": str(source),
            "output": str(kernel.elfs[core]),
            "arguments": [
                *("clang++", "--target=riscv32-unknown-elf", "-std=c++20", "-ffreestanding"),
                *("-fno-exceptions", "-fno-rtti", "-Wall", "-Wextra"),
                *(f"-D{ROLES[core]}", f"-DARCH_{kernel.arch.upper()}"),
                *(f"-isystem{INCLUDE}", f"-I{generated}", "-c", str(source)),
            ],
        }
        for core in sorted(ROLES, key=lambda core: core != FIRST)
    ]
    path = kernel.path.parent / DATABASE
    with writing(path) as at:
        at.write_text(json.dumps(entries, indent=1) + "\n", encoding="utf-8")
    return path
