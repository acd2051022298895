"""Builds a kernel's ELFs from C++ with Debian's RISC-V compiler and tilelab's headers.

    python -m tilelab.tensix.programs.build FOLDER…

Each folder holds a kernel.toml with a ``[build]`` table. The source is compiled once for each of
the three TRISC cores and linked with the start-up code; addresses of circular buffers, mailboxes
and constants come from the kernel.toml. The same compiler gives the same bytes in any folder.

Not modelled: kernels for BRISC, other chips than Blackhole.
"""

import argparse
import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from shutil import which
from tempfile import TemporaryDirectory

from tilelab.sim.errors import BadInputError
from tilelab.tensix.kernel_toml.file import CORES, Input, KernelFile, read_kernel_file
from tilelab.tensix.programs.headers import INCLUDE

CHIP = "blackhole"
SOURCE_SECTION = ".tilelab_source"
"""Section of an ELF that says what it was built of; nothing loads it."""
COMPILER = "riscv64-unknown-elf-g++"
PACKAGE = "gcc-riscv64-unknown-elf"
INTERRUPTED = 130
"""Exit code after Ctrl-C."""

ROLES = {"trisc0": "TRISC_UNPACK", "trisc1": "TRISC_MATH", "trisc2": "TRISC_PACK"}
CODE = {"trisc0": 0x6000, "trisc1": 0xA000, "trisc2": 0xE000}
"""The hardware's reset PCs; 16 KiB each."""
DATA_IMAGE = {"trisc0": 0x12000, "trisc1": 0x13000, "trisc2": 0x14000}
"""Where a core's initialised data waits for start-up to copy it; 4 KiB each."""

PRIVATE_SIZE = {"blackhole": 4096, "wormhole": 2048}
"""Bytes of a TRISC's private RAM."""

_FORMATS = {"bf16": "Float16_b"}
_TARGET = ["-march=rv32im_zicsr_zba_zbb", "-mabi=ilp32", "-nostdlib", "-ffreestanding"]
_LANGUAGE = ["-std=c++20", "-O2"]
_WARNINGS = [
    *("-Wall", "-Wextra", "-Werror"),
    # UNPACK, MATH and PACK leave names without a use on the other cores
    *("-Wno-unused-parameter", "-Wno-unused-variable", "-Wno-unused-but-set-variable"),
]
_PLAIN = [
    "-fno-exceptions",
    "-fno-rtti",
    "-fno-threadsafe-statics",
    "-fno-asynchronous-unwind-tables",
    "-fno-tree-loop-distribute-patterns",  # there is no memset to call
]
_DEBUG = ["-g1", "-gno-record-gcc-switches", "-Wl,--build-id=none"]


def _buffers(kernel: KernelFile) -> list[str]:
    """The initialisers of the circular buffers c_0 to c_31."""
    lines = ["    {},"] * 32
    for item in (*kernel.inputs, *kernel.outputs):
        if item.buffer is None:
            continue
        if item.format not in _FORMATS:
            raise BadInputError(
                f"{kernel.path}: c_{item.buffer} holds {item.format}; the headers offer "
                f"{', '.join(_FORMATS)} only"
            )
        tiles = len(item.tiles)
        filled = tiles if isinstance(item, Input) else 0
        data_format = f"DataFormat::{_FORMATS[item.format]}"
        lines[item.buffer] = f"    {{{item.address:#x}, {tiles}, {filled}, {data_format}}},"
    return lines


def build_header(kernel: KernelFile) -> str:
    """The text of ``tilelab_build.h``: what the kernel.toml tells the C++ code."""
    if not kernel.build:
        raise BadInputError(f"{kernel.path}: has no [build] table, so there is nothing to build")
    boxes = kernel.done.mailboxes
    if missing := [core for core in ROLES if core not in boxes or core not in kernel.elfs]:
        raise BadInputError(f"{kernel.path}: {missing[0]} needs an ELF and a mailbox")
    return "\n".join(
        [
            "#pragma once",
            "#include <tilelab/build.h>",
            *(f"constexpr uint32_t {n} = {v:#x};" for n, v in kernel.build.constants.items()),
            "namespace tilelab {",
            f"constexpr uint32_t done_mailboxes[] = {{{', '.join(hex(boxes[c]) for c in ROLES)}}};",
            f"constexpr uint32_t done_value = {kernel.done.value:#x};",
            "constexpr CircularBuffer circular_buffers[32] = {",
            *_buffers(kernel),
            "};",
            "}  // namespace tilelab",
            "",
        ]
    )


def source_digest(source: bytes, header: str) -> str:
    """What tells one state of a kernel from another: its C++, and what kernel.toml tells it."""
    text = source.replace(b"\r\n", b"\n")
    return sha256(text + b"\0" + header.encode()).hexdigest()[:32]


def _command(source: Path, core: str, generated: Path, elf: Path, digest: str) -> list[str]:
    places = {"__code_start": CODE[core], "__data_image": DATA_IMAGE[core]}
    places["__private_size"] = PRIVATE_SIZE["blackhole"]
    return [
        COMPILER,
        *_TARGET,
        *_LANGUAGE,
        *_WARNINGS,
        *_PLAIN,
        *_DEBUG,
        *(f"-ffile-prefix-map={folder}=." for folder in (generated, source.parent, INCLUDE)),
        f"-D{ROLES[core]}",
        f'-DTILELAB_SOURCE="{digest}"',
        f"-I{INCLUDE}",
        f"-I{generated}",
        *(f"-Wl,--defsym={name}={address:#x}" for name, address in places.items()),
        f"-T{INCLUDE / 'tilelab' / 'trisc.ld'}",
        source.name,
        str(INCLUDE / "tilelab" / "trisc.cpp"),
        "-o",
        str(elf),
    ]


def build(kernel: KernelFile, folder: Path | None = None) -> list[Path]:
    """Compile the kernel; return the ELFs, which go where the kernel.toml says or into a folder.

    BadInputError if the kernel is for another chip than the headers, the compiler is missing, the
    kernel.toml does not suffice, or the source does not compile (the detail is what the compiler
    said).
    """
    if kernel.arch != CHIP:
        raise BadInputError(f"{kernel.path}: the headers are for {CHIP} only, not {kernel.arch}")
    header = build_header(kernel)
    assert kernel.build is not None  # build_header has checked it
    if not which(COMPILER):
        raise BadInputError(f"{COMPILER} is not installed: apt install {PACKAGE}")
    source, elfs = kernel.build.source, []
    digest = source_digest(source.read_bytes(), header)
    with TemporaryDirectory() as generated:
        Path(generated, "tilelab_build.h").write_text(header, encoding="ascii")
        for core in CORES:
            if core not in ROLES:
                continue
            elf = folder / kernel.elfs[core].name if folder else kernel.elfs[core]
            command = _command(source, core, Path(generated), elf, digest)
            run = subprocess.run(
                command, cwd=source.parent, capture_output=True, text=True, check=False
            )
            if run.returncode:
                raise BadInputError(f"{source}: does not compile for {core}", run.stderr)
            elfs.append(elf)
    return elfs


def main() -> int:
    """Build the kernels in the folders named on the command line; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", nargs="+", type=Path, metavar="FOLDER")
    try:
        for folder in parser.parse_args().folders:
            for elf in build(read_kernel_file(folder, elfs_exist=False)):
                print(elf)
    except BadInputError as error:
        print(error, file=sys.stderr)
        return error.exit_code
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return INTERRUPTED
    return 0


if __name__ == "__main__":
    sys.exit(main())
