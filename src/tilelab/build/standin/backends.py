"""How each compiler does what the vendor's is asked for: options, headers, libraries.

Clang brings everything along: its headers, libc++ and musl's headers of C, and Zig's own run-time
library, which is compiled once and kept. GCC takes its C library from picolibc and the headers of
C++ from the bare-metal Arm compiler of the same version, all packages of Debian.
"""

import re
import subprocess
from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from shutil import which

import tilelab
from tilelab.build.cache import keep, kept, key
from tilelab.build.compilers import GCC, find_compiler
from tilelab.build.standin import dialect
from tilelab.build.standin.command import Command
from tilelab.build.standin.objects import defined, read_object
from tilelab.sim.errors import BadInputError

INCLUDE = Path(tilelab.__file__).with_name("include")
ELSEWHERE = Path(__file__).with_name("elsewhere.ld")
EXTENSIONS = {"blackhole": "_zba_zbb", "wormhole": ""}
MACROS = {"blackhole": "__riscv_xtttensixbh", "wormhole": "__riscv_xtttensixwh"}
PLAIN = (
    *("-fno-exceptions", "-fno-asynchronous-unwind-tables"),
    *("-fno-stack-protector", "-fno-jump-tables", "-ffunction-sections"),
)


PERMISSIVE = (
    *("-w", "-Wno-missing-template-arg-list-after-template-kw", "-Wno-c++11-narrowing"),
    *("-Wno-invalid-constexpr", "-Wno-enum-constexpr-conversion"),
)
"""Clang: no warnings, and no error for what is none to the vendor's compiler."""
OWN = ("-fno-integrated-as", "-fno-pic", "-fno-threadsafe-statics")
"""Clang: without its own assembler, it does not read the text of asm statements."""
UNROLLED = ("-mllvm", "-unroll-threshold=200")
"""Loops that are unrolled whole without being told: those that GCC's max-completely-peeled-insns
allows, not half as much again."""
ONCE = "-finline-functions-called-once"
CALLED_ONCE = ("-mllvm", "-locally-hot-callsite-threshold=3000")
"""Clang has no such option. GCC does it by itself: what a loop calls is inlined, however long."""
GCC_ALONE = (ONCE, "-ftree-", "-fno-tree-", "-fipa-", "-fno-ipa-")


ATOMICS = {"exchange": "swap", **{f"fetch_{each}": each for each in ("add", "and", "or", "xor")}}


def atomics(chip: str) -> str:
    """Assembly of the functions that stand for atomic accesses to words of L1.

    Only Blackhole has instructions that read and write; elsewhere their names stay open.
    """
    bodies = {"load": "lw\ta0, 0(a0)", "store": "sw\ta1, 0(a0)"}
    if chip == "blackhole":
        bodies |= {name: f"amo{what}.w\ta0, a1, (a0)" for name, what in ATOMICS.items()}
    lines = ["\t.option\tarch, +a", "\t.text"]
    for name, body in bodies.items():
        lines += [f"\t.weak\t__atomic_{name}_4", f"__atomic_{name}_4:", f"\t{body}", "\tret"]
    return "\n".join([*lines, ""])


def language(command: Command) -> list[str]:
    """The options for the language itself: the vendor's C++17 has parts of C++20.

    Of a kernel, variables that nothing uses can be left out; a firmware's are for its kernels.
    """
    words = ["-std=c++20" if word == "-std=c++17" else word for word in command.code]
    if not any(word.startswith("-std=") for word in words):
        words.append("-std=c++20")
    kernel = command.whole_program and "-DKERNEL_BUILD" in command.preprocessing
    return [*words, "-fdata-sections"] if kernel else words


class Backend:
    """One compiler in the vendor's place."""

    INLINING: tuple[str, ...] = ()
    """Options to inline whatever may be."""

    def version(self) -> str:
        """What tells one release of it from another."""
        raise NotImplementedError

    def processor(self, command: Command, vectors: bool = False) -> list[str]:
        """Options that name the processor; with ``vectors`` it has f registers."""
        float_ = "f" if vectors else ""
        return [f"-march=rv32im{float_}{EXTENSIONS[command.chip]}_zicsr_zifencei", "-mabi=ilp32"]

    def macros(self, command: Command) -> list[str]:
        """What the vendor's compiler defines for its processors."""
        return [f"-D{MACROS[command.chip]}=1"] if command.tensix else []

    def preprocessing(self, command: Command, kind: str) -> list[str]:
        """The command that preprocesses a source of a language; the file follows."""
        raise NotImplementedError

    def adapted(self, text: str) -> tuple[str, list[str]]:
        """A preprocessed text in this compiler's dialect, and functions without a prologue."""
        raise NotImplementedError

    def compiling(self, command: Command, kind: str, vectors: bool) -> list[str]:
        """The command that makes assembly of a preprocessed text; the file follows."""
        raise NotImplementedError

    def intermediate(self, command: Command, kind: str) -> list[str]:
        """The command that makes LLVM's text of one with vectors; the file follows.

        None if the compiler has no such form.
        """
        return []

    def finishing(self, command: Command) -> list[str]:
        """The command that makes assembly of LLVM's text; the file follows."""
        raise NotImplementedError

    def assembling(self, command: Command) -> list[str]:
        """The command that makes an object of assembly; the file follows."""
        raise NotImplementedError

    def linking(self, command: Command) -> list[str]:
        """The linker's command; options and files follow."""
        raise NotImplementedError

    def runtime(self, command: Command, undefined: set[str], folder: Path) -> list[str]:
        """What to link for the names that nothing defines yet."""
        raise NotImplementedError


class Clang(Backend):
    """Clang and LLD, as Zig carries them."""

    INLINING = ("-mllvm", "-inline-threshold=1000000")

    CONFIGURATION: tuple[str, ...] = (
        *("ABI_VERSION=1", "ABI_NAMESPACE=__1", "HAS_MUSL_LIBC=1", "PSTL_BACKEND_SERIAL"),
        *("HARDENING_MODE_DEFAULT=_LIBCPP_HARDENING_MODE_NONE",),
        *("ASSERTION_SEMANTIC_DEFAULT=_LIBCPP_ASSERTION_SEMANTIC_ENFORCE",),
        *(
            f"HAS_{name}=0"
            for name in (
                *("THREADS", "MONOTONIC_CLOCK", "TERMINAL", "THREAD_API_PTHREAD"),
                *("THREAD_API_EXTERNAL", "THREAD_API_WIN32", "THREAD_API_C11"),
                *("VENDOR_AVAILABILITY_ANNOTATIONS", "FILESYSTEM", "RANDOM_DEVICE"),
                *("LOCALIZATION", "UNICODE", "WIDE_CHARACTERS", "TIME_ZONE_DATABASE"),
            )
        ),
        "INSTRUMENTED_WITH_ASAN=0",
    )
    """libc++'s configuration, which Zig leaves to whoever calls Clang."""
    BROUGHT_ALONG = ("__algorithm/max.h", "__algorithm/min.h")
    """Parts of libc++ that the vendor's library includes from ``<array>`` and others."""

    @cached_property
    def home(self) -> Path:
        """The folder of the package ``ziglang``."""
        return Path(find_compiler("zig").driver[0]).parent

    def version(self) -> str:
        """See Backend."""
        return f"over zig {run(self._zig('version')).stdout.strip()}"

    def _zig(self, *words: str) -> list[str]:
        return [str(self.home / "zig"), *words]

    def _clang(self, command: Command, vectors: bool = False) -> list[str]:
        target = "--target=riscv32-unknown-elf"
        return [*self._zig("clang"), target, *self.processor(command, vectors), *PERMISSIVE]

    def _language(self, command: Command) -> list[str]:
        # references that are not known when compiling may be bound there, since C++23
        words = ["-std=c++23" if word == "-std=c++20" else word for word in language(command)]
        return [word for word in words if not word.startswith(GCC_ALONE)]

    def preprocessing(self, command: Command, kind: str) -> list[str]:
        """See Backend."""
        library = self.home / "lib"
        cxx = kind == "c++"
        folders = [INCLUDE, *([library / "libcxx" / "include"] if cxx else [])]
        musl = library / "libc" / "include"
        folders += [musl / "riscv32-linux-musl", musl / "generic-musl", library / "include"]
        own = [f"-D_LIBCPP_{each}" for each in self.CONFIGURATION] if cxx else []
        return [
            *self._clang(command),
            *(["-x", kind, "-E", "-nostdinc"]),
            *self._language(command),
            *PLAIN,
            *self.macros(command),
            *command.preprocessing,
            *own,
            *(f"-isystem{folder}" for folder in folders),
            *(word for name in (self.BROUGHT_ALONG if cxx else ()) for word in ("-include", name)),
        ]

    def adapted(self, text: str) -> tuple[str, list[str]]:
        """See Backend."""
        return dialect.for_clang(text)

    def compiling(self, command: Command, kind: str, vectors: bool) -> list[str]:
        """See Backend."""
        words = [*self._clang(command, vectors), *self._language(command), *PLAIN, *OWN, *UNROLLED]
        words += CALLED_ONCE if ONCE in command.code else ()
        return [*words, "-S", "-x", f"{kind}-cpp-output" if kind == "c++" else "cpp-output"]

    def intermediate(self, command: Command, kind: str) -> list[str]:
        """See Backend."""
        return [*self.compiling(command, kind, True), "-emit-llvm"]

    def finishing(self, command: Command) -> list[str]:
        """See Backend: it has been optimised already."""
        level = [word for word in command.code if word.startswith(("-O", "-g"))]
        words = [*self._clang(command, True), *level, *PLAIN, *OWN, *UNROLLED]
        return [*words, "-Xclang", "-disable-llvm-passes", "-S", "-x", "ir"]

    def assembling(self, command: Command) -> list[str]:
        """See Backend."""
        return [*self._clang(command), "-c", "-x", "assembler"]

    def linking(self, command: Command) -> list[str]:
        """See Backend."""
        words = [*self._zig("ld.lld"), "-m", "elf32lriscv", "--build-id=none"]
        return [*words, f"-T{ELSEWHERE}"] if _has_regions(command.linking) else words

    def runtime(self, command: Command, undefined: set[str], folder: Path) -> list[str]:
        """See Backend: of Zig's library, the functions that are asked for."""
        whole, out = folder / "runtime-whole.o", folder / "runtime.o"
        whole.write_bytes(self._library(command, folder))
        # the library's own take a lock, by an atomic exchange
        asked = {
            name
            for name in undefined & defined(read_object(whole))
            if not name.startswith("__atomic")
        }
        if not asked:
            return []
        words = [*self._zig("ld.lld"), "-m", "elf32lriscv", "-r", "--gc-sections", str(whole)]
        words += [word for name in sorted(asked) for word in ("-u", name)]
        done = run([*words, "-o", str(out)])
        if done.returncode:
            raise BadInputError("the run-time library does not link", done.stderr.rstrip())
        return [str(out)]

    def _library(self, command: Command, folder: Path) -> bytes:
        processor = f"generic_rv32+m{EXTENSIONS[command.chip].replace('_', '+')}"
        library = self.home / "lib"
        words = self._zig("build-obj", str(library / "compiler_rt.zig"), f"-mcpu={processor}")
        words += ["-target", "riscv32-freestanding-none", "-O", "ReleaseSmall", "-fstrip"]
        words += ["-ffunction-sections", "-fdata-sections", "--zig-lib-dir", str(library)]
        name = key([self.version(), words[1], *words[3:]])
        if (image := kept(name)) is None:
            built = folder / "built.o"
            own = ["--name", "runtime", f"-femit-bin={built}"]
            caches = ["--cache-dir", str(folder), "--global-cache-dir", str(folder)]
            done = run([*words, *own, *caches])
            if done.returncode:
                raise BadInputError("the run-time library does not compile", done.stderr.rstrip())
            image = built.read_bytes()
            keep(name, image)
        return image


def _has_regions(linking: Sequence[str]) -> bool:
    """Whether a linker script among the options has memory regions."""
    given = [(word[:2], word[2:] or after) for word, after in pairwise([*linking, ""])]
    folders = [Path(), *(Path(name) for option, name in given if option == "-L")]
    scripts = [folder / name for option, name in given if option == "-T" for folder in folders]
    texts = [script.read_text() for script in scripts if script.is_file()]
    return any(re.search(r"\bMEMORY\s*\{", text) for text in texts)


def _first(pattern: str, package: str) -> Path:
    for found in sorted(Path("/usr").glob(pattern)):
        return found
    raise BadInputError(f"/usr/{pattern} is missing: apt install {package}")


class Gcc(Backend):
    """Debian's bare GCC for RISC-V."""

    INLINING = (
        *("-finline-limit=1000000", "--param=large-function-growth=100000"),
        *("--param=inline-unit-growth=100000", "--param=max-inline-insns-single=1000000"),
    )
    LIBRARY = ("-march=rv32im", "-mabi=ilp32")
    """What its libraries are built for."""

    @cached_property
    def driver(self) -> str:
        """The compiler's path."""
        path = which(GCC)
        if path is None:
            raise BadInputError(f"{GCC} is not installed: apt install gcc-riscv64-unknown-elf")
        return path

    def version(self) -> str:
        """See Backend."""
        return f"over {run([self.driver, '--version']).stdout.partition(chr(10))[0]}"

    @cached_property
    def _picolibc(self) -> Path:
        return _first("lib/picolibc/riscv64-unknown-elf", "picolibc-riscv64-unknown-elf")

    def preprocessing(self, command: Command, kind: str) -> list[str]:
        """See Backend."""
        folders = []
        if kind == "c++":
            cxx = _first("include/newlib/c++/*", "libstdc++-arm-none-eabi-dev")
            folders += [cxx, cxx / "arm-none-eabi"]
        # last: our own has a sys/_stdint.h, which picolibc's would not be found for
        folders += [self._picolibc / "include", INCLUDE]
        return [
            *[self.driver, *self.processor(command), "-w", "-x", kind, "-E", "-nostdinc++"],
            *language(command),
            *PLAIN,
            *self.macros(command),
            *command.preprocessing,
            *(f"-isystem{folder}" for folder in folders),
        ]

    def adapted(self, text: str) -> tuple[str, list[str]]:
        """See Backend."""
        return dialect.without_names_in_unroll(text), []

    def compiling(self, command: Command, kind: str, vectors: bool) -> list[str]:
        """See Backend."""
        # there is no memset to call while a memset is compiled; more templates are of C++20
        own = ["-fpermissive", "-fno-tree-loop-distribute-patterns", "-gno-record-gcc-switches"]
        words = [self.driver, *self.processor(command, vectors), "-w", *language(command)]
        kind = "c++-cpp-output" if kind == "c++" else "cpp-output"
        return [*words, *PLAIN, *own, "-S", "-x", kind]

    def assembling(self, command: Command) -> list[str]:
        """See Backend."""
        return [self.driver, *self.processor(command), "-c", "-x", "assembler"]

    def linking(self, command: Command) -> list[str]:
        """See Backend."""
        linker = which(GCC.replace("g++", "ld"))
        return [str(linker), "-m", "elf32lriscv"]

    def runtime(self, command: Command, undefined: set[str], folder: Path) -> list[str]:
        """See Backend."""
        asked = [self.driver, *self.LIBRARY, "-print-libgcc-file-name"]
        own = run(asked).stdout.strip()
        archives = [str(self._picolibc / "lib" / "rv32im" / "ilp32" / "libc.a"), own]
        return ["--start-group", *archives, "--end-group"]


BACKENDS: dict[str, type[Backend]] = {"zig": Clang, "gcc": Gcc}


def run(words: Sequence[str], text: str | None = None) -> subprocess.CompletedProcess[str]:
    """Run a command with a text as its input."""
    return subprocess.run(words, input=text, capture_output=True, text=True, check=False)
