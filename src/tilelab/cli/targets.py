"""What ``tilelab run`` may be given: assembly, ELFs, a kernel.toml, a folder."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from tilelab.cli.console import TEXT
from tilelab.sim.errors import BadInputError
from tilelab.tensix.arch import arch as find_arch
from tilelab.tensix.assembly import Program, assemble
from tilelab.tensix.kernel_file import KERNEL_FILE, KernelFile, read_kernel_file
from tilelab.tensix.riscv.elf import load_elf

ROLES = {
    "brisc": ("brisc",),
    "trisc0": ("trisc0", "unpack"),
    "trisc1": ("trisc1", "math"),
    "trisc2": ("trisc2", "pack"),
}


@dataclass(frozen=True)
class ElfSet:
    """Programs by core."""

    elfs: dict[str, Path]


Target = KernelFile | ElfSet | Program


ENTRIES = {0: "brisc", 0x6000: "trisc0"} | {
    address: core
    for core, at in (("trisc1", (0xA000, 0xB000)), ("trisc2", (0xE000, 0x10000)))
    for address in at
}
"""Where programs begin: the chip's own reset addresses, and those of the vendor's kernel tests."""


@dataclass(frozen=True)
class Unreadable:
    """A target that cannot be run, and why; what is wrong with one does not stop the others."""

    name: str
    error: BadInputError


def core_of(path: Path) -> str:
    """The core that an ELF is for, by its file name, else by where it begins.

    BadInputError if it is no program for a core, or neither says which.
    """
    entry = load_elf(path).entry
    stem = path.stem.lower()
    for core, names in ROLES.items():
        if stem in names:
            return core
    if entry in ENTRIES:
        return ENTRIES[entry]
    raise BadInputError(
        f"{path}: which core is it for? Name it brisc.elf, trisc0.elf (unpack.elf), "
        "trisc1.elf (math.elf) or trisc2.elf (pack.elf)"
    )


def is_elf(path: Path) -> bool:
    """Whether a file is, or calls itself, an ELF."""
    if path.suffix == ".elf":
        return True
    try:
        with path.open("rb") as file:
            return file.read(4) == b"\x7fELF"
    except OSError:
        return False


def resolve(names: list[str], arch: str, text: str | None) -> list[Target | Unreadable]:
    """Turn command-line targets into things to run, in a fixed order.

    ``text`` is what stdin holds if ``-`` is among the names. ELFs given together are one set.
    BadInputError for targets that are not there, or make no sense together.
    """
    find_arch(arch)
    targets: list[Target | Unreadable] = []
    elfs: dict[str, Path] = {}
    for name in names:
        path = Path(name)
        if name == "-":
            targets.append(_read("<stdin>", partial(assemble, text or "", arch, "<stdin>")))
        elif not _reachable(path):
            raise BadInputError(f"{name}: no such file or folder")
        elif path.is_dir():
            targets += kernels_in(path)
        elif path.suffix == ".toml":
            targets.append(_kernel(path))
        elif is_elf(path):
            core = core_of(path)
            if core in elfs:
                raise BadInputError(f"{path}: {core} has a program already ({elfs[core]})")
            elfs[core] = path
        else:
            targets.append(_read(name, partial(_assembly, path, arch)))
    if elfs:
        targets.append(ElfSet(elfs))
    return targets


def _reachable(path: Path) -> bool:
    """Whether a file or folder is there; not for a name that no file can have."""
    try:
        return path.exists()
    except (OSError, ValueError):
        return False


def _read(name: str, read: Callable[[], Target]) -> Target | Unreadable:
    try:
        return read()
    except BadInputError as error:
        return Unreadable(name, error)


def _kernel(path: Path) -> Target | Unreadable:
    return _read(path.absolute().parent.name, lambda: read_kernel_file(path))


def kernels_in(folder: Path) -> list[Target | Unreadable]:
    """The kernel in a folder, or all kernels below it, by path."""
    if (folder / KERNEL_FILE).is_file():
        return [_kernel(folder / KERNEL_FILE)]
    found = sorted(folder.rglob(KERNEL_FILE))
    if not found:
        raise BadInputError(f"{folder}: no {KERNEL_FILE} in this folder or below it")
    return [_kernel(path) for path in found]


def _assembly(path: Path, arch: str) -> Program:
    try:
        text = path.read_text(encoding=TEXT)
    except UnicodeDecodeError as error:
        raise BadInputError(
            f"{path}: neither an ELF nor UTF-8 assembly (byte {error.start})"
        ) from None
    except OSError as error:
        raise BadInputError(f"{path}: {error.strerror or error}") from None
    return assemble(text, arch, str(path))
