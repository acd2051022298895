"""``compile_commands.json``: what an editor's C++ server needs to know of a kernel.

It names Clang's command for each core, with tilelab's headers. What kernel.toml tells the source,
and what the chip's tables say, are generated headers; they are written into ``.tilelab`` beside it.
"""

import json
from pathlib import Path

from tilelab.build.headers import folders, write_headers
from tilelab.kernels.build import ROLES, build_header
from tilelab.kernels.kernel_toml.file import KernelFile
from tilelab.sim.errors import BadInputError
from tilelab.sim.files import writing

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
    sources = kernel.build.sources
    generated = kernel.path.parent / FOLDER
    try:
        generated.mkdir(exist_ok=True)
    except OSError as error:
        raise BadInputError(f"{generated}: {error.strerror}") from None
    with writing(generated / HEADER) as at:
        at.write_text(header, encoding="ascii")
    write_headers(kernel.arch, generated)
    entries = [
        {
            "directory": str(sources[core].parent),
            "file": str(sources[core]),
            "output": str(kernel.elfs[core]),
            "arguments": [
                *("clang++", "--target=riscv32-unknown-elf", "-std=c++20", "-ffreestanding", "-O2"),
                *("-fno-exceptions", "-fno-rtti", "-Wall", "-Wextra"),
                *(f"-D{ROLES[core]}", f"-DARCH_{kernel.arch.upper()}"),
                *(f"-isystem{folder}" for folder in folders(generated)[:-1]),
                *(f"-I{generated}", "-c", str(sources[core])),
            ],
        }
        for core in sorted(sources, key=lambda core: core != FIRST)
    ]
    path = kernel.path.parent / DATABASE
    with writing(path) as at:
        at.write_text(json.dumps(entries, indent=1) + "\n", encoding="utf-8")
    return path
