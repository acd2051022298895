"""The C++ compilers that can build kernels, and how each is called.

``zig`` is Clang and LLD as the PyPI package ``ziglang`` carries them; ``gcc`` is Debian's bare
RISC-V compiler; a path names any other GCC for RISC-V. A path whose name begins with ``riscv-tt``
is the vendor's compiler, which allocates the vector unit's registers itself.

All three compile to assembly, which :mod:`tilelab.build.vector` completes, assemble and link.
"""

import os
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from shutil import which

from tilelab.sim.errors import BadInputError

GCC = "riscv64-unknown-elf-g++"
GCC_PACKAGE = "gcc-riscv64-unknown-elf"
VENDOR_PREFIX = "riscv-tt"
VENDOR_CHIPS = {"blackhole": "bh", "wormhole": "wh"}
CHOICES = "zig, gcc or the path of a RISC-V g++"

LANGUAGE = (
    *("-std=c++20", "-O2", "-g", "-ffreestanding"),
    *("-fno-exceptions", "-fno-rtti", "-fno-threadsafe-statics"),
    *("-fno-asynchronous-unwind-tables", "-fno-stack-protector", "-fno-jump-tables"),
)
WARNINGS = (
    *("-Wall", "-Wextra"),
    # UNPACK, MATH and PACK leave names without a use on the other cores
    *("-Wno-unused-parameter", "-Wno-unused-variable", "-Wno-unused-but-set-variable"),
)
COMPRESSED = "-gz"
"""GCC describes every constant that headers name: four fifths of an ELF."""
EXTENSIONS = {"blackhole": "zba_zbb_zicsr", "wormhole": "zicsr"}


@dataclass(frozen=True)
class Run:
    """What a command said: its exit code and its messages."""

    code: int
    messages: str


@dataclass(frozen=True)
class Compiler:
    """A C++ compiler: ``driver`` is the command's beginning.

    ``native_vectors`` says that it knows the vector unit, so that nothing is left to allocate.
    """

    name: str
    driver: tuple[str, ...]
    native_vectors: bool = False

    @cached_property
    def version(self) -> str:
        """What tells one release of the compiler from another."""
        return self._output("--version").partition("\n")[0]

    def _output(self, *arguments: str) -> str:
        run = subprocess.run([*self.driver, *arguments], capture_output=True, text=True, check=True)
        return run.stdout

    def target(self, arch: str, vectors: bool) -> list[str]:
        """Options that name the processor; with ``vectors`` values may live in f registers."""
        raise NotImplementedError

    def compiling(self, arch: str, vectors: bool) -> list[str]:
        """Options for compiling C++ to assembly."""
        return [*self.driver, *self.target(arch, vectors), *LANGUAGE, *WARNINGS]

    @property
    def preprocessing(self) -> list[str]:
        """Options, beside those for compiling, to see the whole text and nothing of this folder."""
        return ["-E"]

    def assembling(self, arch: str) -> list[str]:
        """The command that assembles; the files follow."""
        return [*self.driver, *self.target(arch, False), "-c"]

    def linking(self, arch: str, script: Path, symbols: Mapping[str, int]) -> list[str]:
        """The command that links by a linker script; the files follow."""
        raise NotImplementedError

    def environment(self, scratch: Path) -> dict[str, str]:
        """The environment of a command that may leave files in ``scratch``."""
        return {**os.environ, "LC_ALL": "C"}

    def run(self, command: Sequence[str], folder: Path, scratch: Path) -> Run:
        """Run one of the commands in a folder; ``scratch`` is another, for what nobody keeps."""
        done = subprocess.run(
            command,
            cwd=folder,
            env=self.environment(scratch),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )
        return Run(done.returncode, done.stderr)


def zig_home() -> Path | None:
    """The folder of the package ``ziglang``, which holds the program; None if it is not there."""
    spec = find_spec("ziglang")
    places = spec.submodule_search_locations if spec else None
    return Path(places[0]) if places else None


class Zig(Compiler):
    """Clang and LLD out of the package ``ziglang``."""

    @cached_property
    def version(self) -> str:
        """Zig's own version; it stands for Clang's."""
        driver = (*self.driver[:-1], "version")
        run = subprocess.run(driver, capture_output=True, text=True, check=True)
        return f"zig {run.stdout.strip()}"

    def target(self, arch: str, vectors: bool) -> list[str]:
        """See Compiler."""
        float_ = "+f" if vectors else ""
        cpu = f"-mcpu=generic_rv32+m{float_}+{EXTENSIONS[arch].replace('_', '+')}"
        return ["-target", "riscv32-freestanding-none", cpu, "-mabi=ilp32"]

    def compiling(self, arch: str, vectors: bool) -> list[str]:
        """See Compiler."""
        quiet = ["-Wno-unused-command-line-argument", "-fno-sanitize=all", "-fno-builtin"]
        quiet.append("-fspell-checking")  # Zig takes Clang's "did you mean" out
        # without its own assembler, Clang does not read the text of asm statements
        own = [f"-ffile-prefix-map={Path(self.driver[0]).parent}=ziglang"]
        return [*super().compiling(arch, vectors), *quiet, *own, "-fno-integrated-as", "-fno-pic"]

    def linking(self, arch: str, script: Path, symbols: Mapping[str, int]) -> list[str]:
        """See Compiler."""
        places = [f"--defsym={name}={value:#x}" for name, value in symbols.items()]
        return [*self.driver[:-1], "ld.lld", f"-T{script}", "--build-id=none", *places]

    def environment(self, scratch: Path) -> dict[str, str]:
        """See Compiler: Zig's own cache grows for ever, and tilelab keeps whole ELFs itself."""
        caches = ("ZIG_GLOBAL_CACHE_DIR", "ZIG_LOCAL_CACHE_DIR")
        return {**super().environment(scratch), **dict.fromkeys(caches, str(scratch / "zig"))}


class Gcc(Compiler):
    """A bare GCC for RISC-V."""

    def target(self, arch: str, vectors: bool) -> list[str]:
        """See Compiler."""
        return [f"-march=rv32im{'f' if vectors else ''}_{EXTENSIONS[arch]}", "-mabi=ilp32"]

    def compiling(self, arch: str, vectors: bool) -> list[str]:
        """See Compiler."""
        # there is no memset to call
        plain = ["-fno-tree-loop-distribute-patterns", "-gno-record-gcc-switches"]
        return [*super().compiling(arch, vectors), *plain]

    def assembling(self, arch: str) -> list[str]:
        """See Compiler."""
        return [*super().assembling(arch), COMPRESSED]

    @property
    def preprocessing(self) -> list[str]:
        """See Compiler."""
        return ["-E", "-fno-working-directory"]

    def linking(self, arch: str, script: Path, symbols: Mapping[str, int]) -> list[str]:
        """See Compiler."""
        places = [f"-Wl,--defsym={name}={value:#x}" for name, value in symbols.items()]
        options = [*self.target(arch, False), COMPRESSED, "-nostdlib"]
        options += ["-Wl,--build-id=none", f"-T{script}"]
        return [*self.driver, *options, *places]


class Vendor(Gcc):
    """The vendor's GCC, which has the vector unit as a target of its own."""

    def target(self, arch: str, vectors: bool) -> list[str]:
        """See Compiler."""
        return [f"-mcpu=tt-{VENDOR_CHIPS[arch]}-tensix"]


def find_compiler(choice: str = "") -> Compiler:
    """The compiler of that name or path; without one, Zig's if it is installed, else GCC.

    BadInputError if it is not there.
    """
    if choice in ("", "zig") and (home := zig_home()):
        # the program itself: `python -m ziglang` is one more Python for each of a build's calls
        return Zig("zig", (str(home / "zig"), "c++"))
    if choice == "zig":
        raise BadInputError("zig is not installed: pip install 'tilelab[build]'")
    if choice in ("", "gcc"):
        if not which(GCC):
            cure = f"apt install {GCC_PACKAGE}"
            if choice:
                raise BadInputError(f"{GCC} is not installed: {cure}")
            raise BadInputError(
                f"no compiler is installed: pip install 'tilelab[build]', or {cure}"
            )
        return Gcc("gcc", (GCC,))
    path = which(choice)
    if path is None:
        raise BadInputError(f"{choice}: no such compiler: {CHOICES}")
    if Path(path).name.startswith(VENDOR_PREFIX):
        return Vendor("vendor", (path,), native_vectors=True)
    return Gcc("gcc", (path,))
