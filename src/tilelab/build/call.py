"""``tilelab.build(...)``: a kernel from C++ to ELFs, as one call."""

import sys
from collections.abc import Mapping
from dataclasses import replace
from os import PathLike
from pathlib import Path
from types import MappingProxyType

from tilelab.build.compilers import find_compiler
from tilelab.build.kernel import (
    SOURCES,
    build_kernel,
    constants_from,
    source_kernel,
    with_constants,
)
from tilelab.kernels.kernel_toml.file import KernelFile, read_kernel_file
from tilelab.sim.errors import BadInputError
from tilelab.tensix.arch import arch as arch_named


def build(
    target: str | PathLike[str],
    *,
    constants: Mapping[str, int] | None = None,
    folder: str | PathLike[str] | None = None,
    compiler: str = "",
    arch: str | None = None,
) -> KernelFile:
    """Compile a kernel: one ELF for each of its cores. Returns it, for :func:`run_kernel`.

    ``target``: a kernel.toml, a folder that holds one, or a C++ source alone, for ``arch``
    (blackhole unless given). ``constants``: other values for those of ``[build]``, or further
    ones, unsigned 32-bit. ``folder``: where the ELFs go instead of where the kernel.toml says.
    ``compiler``: ``zig``, ``gcc`` or a path; by default what there is. BadInputError if something
    is missing or does not compile; its summary names file and line. The compiler's warnings go to
    stderr.
    """
    for name, path in ("target", target), ("folder", folder or "."):
        if not isinstance(path, str | PathLike) or not str(path):
            raise BadInputError(f"{name} is a path, not {path!r}")
    if not isinstance(compiler, str):
        raise BadInputError(f"compiler is zig, gcc or a path, not {compiler!r}")
    if not isinstance(constants or {}, Mapping):
        raise BadInputError(f"constants are numbers by name, not {constants!r}")
    values = constants_from([f"{name}={value}" for name, value in (constants or {}).items()])
    kernel = with_constants(named_kernel(Path(target), arch), values)
    into = Path(folder) if folder is not None else None
    made = build_kernel(kernel, find_compiler(compiler), into, _warn)
    return replace(kernel, elfs=MappingProxyType({one.core: one.path for one in made}))


def _warn(text: str) -> None:
    print(text, file=sys.stderr)


def named_kernel(target: Path, arch: str | None) -> KernelFile:
    """What is to be built; BadInputError if it is not there, or for another chip than ``arch``."""
    if arch is not None:
        arch_named(arch)
    if target.suffix in SOURCES:
        return source_kernel(target, arch or "blackhole")
    kernel = read_kernel_file(target, elfs_exist=False)
    if arch is not None and arch != kernel.arch:
        raise BadInputError(f"{kernel.shown}: is for {kernel.arch}, not {arch}")
    return kernel
