"""What ``tilelab run`` may be given: assembly, ELFs, a kernel.toml, a folder, a tile's moment."""

import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from errno import ENAMETOOLONG, ENOENT, ENOTDIR
from functools import partial
from pathlib import Path
from typing import TypeVar

from tilelab.elf.program import Program as ElfProgram
from tilelab.elf.reader import MAGIC
from tilelab.kernels.kernel_toml.file import KERNEL_FILE, KernelFile, read_kernel_file
from tilelab.kernels.moment import SUFFIX as MOMENT
from tilelab.kernels.moment import Moment, read_moment
from tilelab.sim.errors import BadInputError
from tilelab.sim.files import TEXT, from_here, read_file, reason
from tilelab.tensix.arch import arch as find_arch
from tilelab.tensix.riscv.elf import program_of
from tilelab.tensix.tables.cores import CORE_IDS, FIXED_RESET_PC
from tilelab.tensix.words.assembly import Program, assemble

LONG = 2.0
"""Seconds of a search after which it is told."""
DEFAULT_ARCH = "blackhole"
"""The chip of what names none."""
ROLES = {
    "brisc": ("brisc", "writer"),
    "ncrisc": ("ncrisc", "reader"),
    "trisc0": ("trisc0", "unpack"),
    "trisc1": ("trisc1", "math"),
    "trisc2": ("trisc2", "pack"),
}


@dataclass(frozen=True)
class ElfSet:
    """Programs by core."""

    elfs: dict[str, ElfProgram]


Target = KernelFile | ElfSet | Program | Moment


ENTRIES = {
    **{FIXED_RESET_PC[number]: core for core, number in CORE_IDS.items() if core != "ncrisc"},
    **{0xB000: "trisc1", 0x10000: "trisc2"},
}
"""Where programs begin: the chip's own reset addresses, and those of the vendor's kernel tests."""


@dataclass(frozen=True)
class Unreadable:
    """A target that cannot be run, and why; what is wrong with one does not stop the others."""

    name: str
    error: BadInputError


def core_of(program: ElfProgram) -> str:
    """The core that a program is for, by its file's name, else by where it begins.

    BadInputError if neither says which.
    """
    stem = program.path.stem.lower()
    for core, names in ROLES.items():
        if stem in names:
            return core
    if program.entry in ENTRIES:
        return ENTRIES[program.entry]
    raise BadInputError(
        f"{program.path}: which core is it for? Name it brisc.elf, ncrisc.elf, trisc0.elf "
        "(unpack.elf), trisc1.elf (math.elf) or trisc2.elf (pack.elf)"
    )


def resolve(
    names: list[str], arch: str | None, text: str | None, *, elfs_exist: bool = True
) -> list[Target | Unreadable]:
    """Turn command-line targets into things to run, in a fixed order.

    ``arch`` is the chip of what names none; a target that names another one cannot be run.
    ``text`` is what stdin holds if ``-`` is among the names. Each file is read once, so that it
    may be a pipe. ELFs given together are one set. ``elfs_exist=False`` takes kernels whose ELFs
    are still to be built. BadInputError for an unknown chip.
    """
    find_arch(arch or DEFAULT_ARCH)
    found = _resolved(names, arch or DEFAULT_ARCH, text, elfs_exist)
    return found if arch is None else [_for_chip(target, arch) for target in found]


def _for_chip(target: Target | Unreadable, arch: str) -> Target | Unreadable:
    """A target, or why it cannot be run on the chip that the user asks for."""
    if isinstance(target, Unreadable | ElfSet | Program) or target.arch == arch:
        return target
    error = BadInputError(f"{from_here(target.path)}: is for {target.arch}, not {arch}")
    return Unreadable(target.path.parent.name, error)


def _resolved(
    names: list[str], arch: str, text: str | None, elfs_exist: bool
) -> list[Target | Unreadable]:
    targets: list[Target | Unreadable] = []
    elfs: list[tuple[str, bytes]] = []
    for name in names:
        path = Path(name)
        if name == "-":
            targets.append(_read("<stdin>", partial(_program, text or "", "<stdin>", arch)))
        elif problem := _unreachable(path):
            targets.append(Unreadable(name, BadInputError(f"{name}: {problem}")))
        elif path.is_dir():
            targets += kernels_in(path, elfs_exist=elfs_exist)
        elif path.suffix == ".toml":
            targets.append(_kernel(path, elfs_exist))
        elif path.suffix == MOMENT:
            targets.append(_read(name, partial(read_moment, path)))
        else:
            data = _read(name, partial(read_file, path))
            if isinstance(data, Unreadable):
                targets.append(data)
            elif data[:4] == MAGIC or path.suffix == ".elf":
                elfs.append((name, data))
            else:
                targets.append(_read(name, partial(_assembly, data, path, arch)))
    if elfs:
        targets.append(_read(" ".join(name for name, _ in elfs), partial(_elf_set, elfs)))
    return targets


def _unreachable(path: Path) -> str:
    """Why a file or folder cannot be reached; "" if it can."""
    try:
        path.stat()
    except ValueError:  # a NUL in the name
        return "no such file or folder"
    except OSError as error:
        missing = error.errno in (ENOENT, ENOTDIR, ENAMETOOLONG)
        return "no such file or folder" if missing else reason(error)
    return ""


Read = TypeVar("Read")


def _read(name: str, read: Callable[[], Read]) -> Read | Unreadable:
    try:
        return read()
    except BadInputError as error:
        return Unreadable(name, error)


def _kernel(path: Path, elfs_exist: bool) -> Target | Unreadable:
    name = path.absolute().parent.name
    return _read(name, lambda: read_kernel_file(path, elfs_exist=elfs_exist))


def kernel_files(target: Path) -> list[Path]:
    """The kernel.toml files that a target stands for; none for assembly and ELFs."""
    if target.suffix == ".toml":
        return [target]
    if (target / KERNEL_FILE).is_file():
        return [target / KERNEL_FILE]
    return sorted(target.rglob(KERNEL_FILE)) if target.is_dir() else []


def kernels_in(folder: Path, *, elfs_exist: bool = True) -> list[Target | Unreadable]:
    """The kernel in a folder, or all kernels and unreadable folders below it, by path."""
    unreadable: list[tuple[Path, Unreadable]] = []

    def note(error: OSError) -> None:
        place = str(error.filename)
        problem = BadInputError(f"{place}: cannot be searched for kernels: {reason(error)}")
        unreadable.append((Path(place), Unreadable(place, problem)))

    paths: list[Path] = []
    to_tell = time.monotonic() + LONG
    for at, folders, files in os.walk(folder, onerror=note):
        if time.monotonic() > to_tell:
            print(f"tilelab: {folder}: searching it for kernels", file=sys.stderr)
            to_tell = float("inf")
        if KERNEL_FILE in (*files, *folders):
            paths.append(Path(at, KERNEL_FILE))
            if Path(at) == folder:
                return [_kernel(paths[0], elfs_exist)]
    if not paths and not unreadable:
        problem = BadInputError(f"{folder}: no {KERNEL_FILE} in this folder or below it")
        return [Unreadable(str(folder), problem)]
    found = [*unreadable, *((path, _kernel(path, elfs_exist)) for path in paths)]
    return [target for _, target in sorted(found, key=lambda item: item[0])]


def _elf_set(files: list[tuple[str, bytes]]) -> ElfSet:
    elfs: dict[str, ElfProgram] = {}
    for name, data in files:
        program = program_of(data, Path(name))
        core = core_of(program)
        if core in elfs:
            raise BadInputError(f"{name}: {core} has a program already ({elfs[core].path})")
        elfs[core] = program
    return ElfSet(elfs)


def _assembly(data: bytes, path: Path, arch: str) -> Program:
    try:
        text = data.decode(TEXT)
    except UnicodeDecodeError as error:
        raise BadInputError(
            f"{path}: neither an ELF nor UTF-8 assembly (byte {error.start})"
        ) from None
    return _program(text, str(path), arch)


def _program(text: str, name: str, arch: str) -> Program:
    """An assembly program that has something to run."""
    program = assemble(text, arch, name)
    if not program.statements:
        raise BadInputError(f"{name}: there is no instruction in it")
    return program
