"""Compiling kernels: g++ or clang++, once for each core role, against the user's pto-isa."""

import hashlib
import os
import shutil
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from tilelab.pto.native.rewrite import rewrite, told
from tilelab.pto.paths import find_arch
from tilelab.sim.cache import (
    UntrustedError,
    check_trusted,
    close_to_others,
    look_over,
    make_folder,
    place,
)
from tilelab.sim.errors import BadInputError
from tilelab.sim.files import telling

HERE = Path(__file__).parent
INCLUDE = HERE / "include"
ROLES = ("cube", "vec")
RUNTIME = "runtime.so"
SOURCES = (".cpp", ".cc", ".cxx", ".c++")
HEADERS = (".h", ".hpp", ".hh", ".inc")
COMMON = (
    "-std=c++20", "-O1", "-g1", "-fPIC", "-w", "-pthread",
    "-D__CPU_SIM", "-DPTO_CPU_MAX_THREADS=1u", "-include", "tilelab/prelude.hpp",
)  # fmt: skip
RUNTIME_FLAGS = ("-std=c++20", "-O2", "-fPIC")


@dataclass(frozen=True)
class Built:
    """The libraries: the runtime, the Cube's (with the host's program), the Vector cores'."""

    runtime: Path
    cube: Path
    vec: Path
    headers: tuple[str, ...]  # folders whose lines are not the user's


def find_compiler(name: str | None) -> str:
    """The C++ compiler: the one asked for, $CXX, g++ or clang++."""
    for candidate in (name, os.environ.get("CXX"), "g++", "clang++"):
        if candidate and (found := shutil.which(candidate)):
            return found
        if candidate and candidate == name:
            raise BadInputError(f"no compiler {name!r} on the PATH")
    raise BadInputError("pto cc needs g++ 12 or clang++ 15, or newer; there is none on the PATH")


def unique_flags(cxx: str) -> list[str]:
    """What keeps each core's static variables its own. g++ would make those of inline functions one
    for the process; clang never does, and does not know the option.
    """
    with telling(cxx):
        done = subprocess.run([cxx, "--version"], capture_output=True, text=True, check=False)
    return [] if "clang" in done.stdout else ["-fno-gnu-unique"]


def processor_flags() -> list[str]:
    """Half floats and fused multiply-adds by this computer's own instructions, not by a function
    call for each element. The values are the same: contraction, which would change some, is off.
    """
    try:
        text = Path("/proc/cpuinfo").read_text(encoding="ascii", errors="replace")
    except OSError:
        return []
    line = next((line for line in text.splitlines() if line.startswith("flags")), "")
    has = set(line.partition(":")[2].split())
    return ["-mf16c", "-mfma", "-ffp-contract=off"] if {"f16c", "fma"} <= has else []


def find_isa(folder: Path) -> Path:
    """The include folder of a pto-isa checkout."""
    include = folder / "include"
    if not (include / "pto" / "pto-inst.hpp").is_file():
        raise BadInputError(
            f"{folder}: not a pto-isa checkout: there is no include/pto/pto-inst.hpp",
            "Get one with: git clone https://github.com/hw-native-sys/pto-isa",
        )
    return include


def build(
    kernel: Path,
    hosts: Sequence[Path],
    isa: Path,
    arch: str,
    compiler: str | None = None,
    defines: Sequence[str] = (),
    includes: Sequence[Path] = (),
    auto: bool = False,
    alone: str = "",
) -> Built:
    """Compile; what did not change since the last time is taken from the cache. ``alone``: the only
    role that the kernel is for; then no library is compiled as for another.
    """
    include = find_isa(isa)
    cxx = find_compiler(compiler)
    for file in (kernel, *hosts):
        if not file.is_file():
            raise BadInputError(f"{file}: no such file")
    flags = [f"-D{define}" for define in (*defines, *find_arch(arch).defines)]
    if auto:
        flags.append("-D__PTO_AUTO__")
    unique = unique_flags(cxx)
    runtime = [*RUNTIME_FLAGS, *unique]
    flags += [*unique, *processor_flags()]
    folders = [*includes, kernel.resolve().parent, *(host.resolve().parent for host in hosts)]
    near = list(dict.fromkeys(folders))
    folder = place("pto", _key(kernel, hosts, include, arch, cxx, [*flags, alone], near))
    own = [*sorted(INCLUDE.rglob("*.h")), *HERE.glob("*.cpp")]
    common = place("pto", _digest([cxx, *runtime], own))
    work = _Work(cxx, folder, common, include, isa, runtime, flags, near, arch, alone)
    built = (common / RUNTIME, folder / "cube.so", folder / "vec.so")
    try:
        if not (folder / "done").exists() or not (common / RUNTIME).exists():
            look_over()
            make_folder(folder)
            work.all(kernel, hosts)
            (folder / "done").touch()
        for file in built:
            check_trusted(file)
    except UntrustedError as error:
        raise BadInputError(f"{error.filename}: {error.strerror}") from None
    return Built(*built, (str(INCLUDE), str(include.resolve()), "/usr/include", "/usr/lib"))


def _key(
    kernel: Path, hosts: Sequence[Path], include: Path, arch: str, cxx: str, flags: list[str],
    folders: list[Path],
) -> str:  # fmt: skip
    own = [*INCLUDE.rglob("*"), *HERE.glob("*.cpp"), HERE / "rewrite.py"]
    near = [
        file
        for folder in folders
        for file in sorted(folder.iterdir())
        if file.suffix in (*HEADERS, *SOURCES)
    ]
    stamps = [
        f"{file}{stat.st_size}{stat.st_mtime_ns}"
        for file in sorted((include / "pto").rglob("*"))
        if file.suffix in HEADERS and (stat := file.stat())  # its size and time tell a change
    ]
    said = [str(kernel.resolve()), arch, cxx, *flags, *COMMON, *stamps]
    return _digest(said, [*sorted(own), *hosts, *near])


def _digest(said: Sequence[str], files: Sequence[Path]) -> str:
    """A name for what is made of words and files' contents."""
    digest = hashlib.sha256(repr(said).encode())
    for file in files:
        if file.is_file():
            digest.update(file.name.encode() + b"\0" + file.read_bytes())
    return digest.hexdigest()[:24]


@dataclass
class _Work:
    cxx: str
    folder: Path
    common: Path  # what every kernel is linked with, compiled once
    include: Path
    isa: Path
    runtime: list[str]
    flags: list[str]
    folders: list[Path]
    arch: str
    alone: str

    def all(self, kernel: Path, hosts: Sequence[Path]) -> None:
        """Everything, two compilers at a time."""

        def file(name: str) -> str:
            return str(self.folder / name)

        self._instructions()
        jobs = [(kernel, self._compile(kernel, role, role)) for role in reversed(ROLES)]
        for number, host in enumerate(hosts):
            jobs.append((host, self._compile(host, "", f"host{number}")))
        shared = self._runtime()
        self._run([*jobs, *shared])
        for _, arguments in shared:  # whole, or not there: another process may look for it
            made = Path(arguments[-1])
            close_to_others(made)
            made.replace(self.common / made.name)
        objects = [file(f"host{number}.o") for number in range(len(hosts))]
        link = ["-shared", "-Wl,-Bsymbolic", "-pthread", str(self.common / "support.o")]
        parts = {"cube.so": [*objects, file("cube.o")], "vec.so": [file("vec.o")]}
        self._run([(kernel, [*link, *of, "-o", file(name), "-ldl"]) for name, of in parts.items()])
        for name in parts:
            close_to_others(self.folder / name)

    def _instructions(self) -> None:
        """The user's list of instructions, each of them told."""
        name = Path("pto", "common", "pto_instr.hpp")
        if (self.include / name).is_file():
            copy = self.folder / "told" / name
            copy.parent.mkdir(parents=True, exist_ok=True)
            self._rewritten(self.include / name, copy, told)

    def _runtime(self) -> list[tuple[Path, list[str]]]:
        """What is left to do of the part that all kernels share."""
        make_folder(self.common)
        flags = [*self.runtime, f"-I{INCLUDE}"]
        wanted = (("runtime.cpp", ["-shared"], RUNTIME), ("support.cpp", ["-c"], "support.o"))
        return [
            (HERE / name, [*flags, *how, str(HERE / name), "-o", str(self.folder / made)])
            for name, how, made in wanted
            if not (self.common / made).exists()
        ]

    def _compile(self, source: Path, role: str, name: str) -> list[str]:
        copies = self.folder / name
        copies.mkdir(exist_ok=True)
        for folder in self.folders:
            for file in folder.iterdir():
                if file.suffix in HEADERS and not (copies / file.name).exists():
                    self._rewritten(file, copies / file.name)
        self._rewritten(source, copies / source.name)
        flags = list(self.flags)
        if role:
            core = (self.alone or role).upper()
            flags += [f"-D__DAV_{core}__", f"-D__DAV_{find_arch(self.arch).family}_{core}__"]
        own = (copies, INCLUDE, self.folder / "told", self.include, self.isa / "tests" / "common")
        search = [f"-I{folder}" for folder in (*own, *self.folders)]
        made = str(self.folder / f"{name}.o")
        return [*COMMON, *flags, *search, "-c", str(copies / source.name), "-o", made]

    def _rewritten(self, file: Path, to: Path, how: Callable[[str, str], str] = rewrite) -> None:
        try:
            text = file.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise BadInputError(f"{file}: {error}") from None
        to.write_text(how(text, str(file.resolve())), encoding="utf-8")

    def _run(self, jobs: list[tuple[Path, list[str]]]) -> None:
        running: list[tuple[Path, subprocess.Popen[str]]] = []
        try:
            for source, arguments in jobs:
                if len(running) >= (os.cpu_count() or 1):
                    self._finish(*running.pop(0))
                command = [self.cxx, *arguments]
                running.append(
                    (source, subprocess.Popen(command, stderr=subprocess.PIPE, text=True))
                )
            while running:
                self._finish(*running.pop(0))
        finally:
            for _, process in running:
                process.terminate()  # g++ then removes its own files
                process.wait()

    def _finish(self, source: Path, process: subprocess.Popen[str]) -> None:
        _, errors = process.communicate()
        if process.returncode:
            first, detail = first_error(errors, str(source.resolve()))
            raise BadInputError(f"{source}: does not compile: {first}", detail)


def first_error(errors: str, source: str) -> tuple[str, str]:
    """A compiler's first error, and what else it says of it: from where in ``source`` it came to
    the templates that fail, and the code at fault. The rest is instantiations of templates.
    """
    lines = errors.strip().splitlines() or ["no message"]
    at = next((n for n, line in enumerate(lines) if "error" in line.lower()), len(lines) - 1)
    came = [line for line in lines[:at] if source in line and "required" in line]
    shown = [line for line in lines[at + 1 : at + 3] if line.lstrip()[:1] in "0123456789|"]
    return lines[at], "\n".join([*came[-3:], *shown])
