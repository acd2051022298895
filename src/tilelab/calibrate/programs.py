"""Builds the probe kernels of public checkouts, unmodified, for one core of a tile.

A kernel sees headers of our own (``standin/``) under the names it includes, is linked with start-up
code of our own, and kept by everything that it was made from.
"""

from dataclasses import dataclass
from pathlib import Path
from shutil import which
from tempfile import TemporaryDirectory

from tilelab.build.cache import keep, kept, key
from tilelab.build.compilers import GCC, Compiler, find_compiler
from tilelab.build.headers import STANDARD
from tilelab.kernels.build import ROLES
from tilelab.sim.errors import BadInputError
from tilelab.tensix.arch import ARCHES
from tilelab.tensix.tables.cores import CORE_IDS

STANDIN = Path(__file__).parent / "standin"
CODE = {"trisc0": 0x10000, "trisc1": 0x30000, "trisc2": 0x50000, "brisc": 0, "ncrisc": 0x70000}
"""Where each core's program lies."""
ARGUMENTS, DONE = 0x80000, 0x80800
"""Where the host puts a kernel's arguments, and where cores say, 16 bytes apart, that they end."""
FIRMWARE_CFG0 = {"blackhole": 1 << 18 | 1 << 3}
"""Bits of the CSR cfg0 that tt-metal's firmware_common.h sets before a kernel: no gathering of
.ttinsn (tt-metal#16439), no L0 data cache. What was measured under tt-metal ran so."""


POLLS = {"wormhole": 24, "blackhole": 14}
"""Instructions between two looks of an idle core at L1. Inferred: on cards a store to L1 takes 5.2
and 5.32 cycles, where documents say 5 and one other core of the port is idle: as if that looked
every 26 and 16 cycles. Where two are idle (BRISC, ``retirebench``) it takes 5.63.
"""


def probe_compiler(choice: str = "") -> Compiler:
    """The compiler of that name; without one GCC, of which the published figures' loops are.

    BadInputError if there is none.
    """
    return find_compiler(choice or ("gcc" if which(GCC) else ""))


def done_at(core: str) -> int:
    """Where a core's program writes 1 in the end."""
    return DONE + 16 * list(CODE).index(core)


def start_up(arch: str) -> str:
    """Assembly of what runs before a core's kernel and after it."""
    return (STANDIN / "begin.s").read_text().replace("    WAIT\n", "    nop\n" * POLLS[arch])


def symbols(arch: str, core: str) -> dict[str, int]:
    """What ``begin.s`` and the linker's script have to know."""
    return {
        "__code_start": CODE[core],
        "__private_size": ARCHES[arch].local_ram[CORE_IDS[core]],
        "__firmware_cfg0": FIRMWARE_CFG0.get(arch, 0),
        "__done": done_at(core),
    }


@dataclass(frozen=True)
class Source:
    """A kernel: the file to compile, and the files that it includes from beside it."""

    name: str
    files: dict[str, bytes]


@dataclass(frozen=True)
class Builder:
    """Builds with one compiler, and keeps what it built."""

    compiler: Compiler

    def image(self, source: Source, arch: str, core: str, defines: tuple[str, ...] = ()) -> bytes:
        """The ELF of a source for a core; BadInputError if it does not compile or link."""
        own = [path.read_bytes() for path in sorted(STANDIN.rglob("*")) if path.is_file()]
        parts = [content for name in sorted(source.files) for content in (name, source.files[name])]
        facts = ("probe", self.compiler.version, source.name, arch, core, *defines)
        name = key([*facts, Path(__file__).read_bytes(), *own, *parts])
        image = kept(name)
        if image is None:
            with TemporaryDirectory() as folder:
                image = self._build(source, arch, core, defines, Path(folder))
            keep(name, image)
        return image

    def _build(
        self, source: Source, arch: str, core: str, defines: tuple[str, ...], folder: Path
    ) -> bytes:
        for name, content in source.files.items():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes(content)
        wrapper = folder / "wrapper.cpp"
        wrapper.write_text(
            '#include "api/compute/common.h"\n'
            f'#include "{source.name}"\n'
            'extern "C" void kernel() { BEFORE_KERNEL kernel_main(); }\n'
        )
        names = (ROLES[core], f"ARCH_{arch.upper()}", f"ARGS_ADDRESS={ARGUMENTS:#x}", *defines)
        options = [f"-D{name}" for name in names]
        options += [
            f"-I{STANDIN}",
            f"-I{folder}",
            f"-isystem{STANDARD}",
            "-fno-unroll-loops",
            "-w",
        ]
        program, begin, out = (folder / name for name in ("probe.s", "begin.o", "probe.elf"))
        compiling = [*self.compiler.compiling(arch, False), *options]
        self._run([*compiling, str(wrapper), "-S", "-o", str(program)], source, folder)
        assembling = self.compiler.assembling(arch)
        entry = folder / "begin.s"
        entry.write_text(start_up(arch))
        for text, made in (program, folder / "probe.o"), (entry, begin):
            self._run([*assembling, str(text), "-o", str(made)], source, folder)
        linking = self.compiler.linking(arch, STANDIN / "link.ld", symbols(arch, core))
        self._run([*linking, str(begin), str(folder / "probe.o"), "-o", str(out)], source, folder)
        return out.read_bytes()

    def _run(self, command: list[str], source: Source, folder: Path) -> None:
        done = self.compiler.run(command, folder, folder)
        if done.code:
            lines = done.messages.strip().splitlines() or ["no message"]
            first = next((line for line in lines if "error" in line), lines[0])
            raise BadInputError(f"{source.name} does not build: {first}", done.messages.rstrip())
