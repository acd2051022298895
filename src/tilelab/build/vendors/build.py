"""Builds the ELFs of a kernel whose ``[build]`` asks for the vendor's headers.

For each core the vendor's wrapper of a kernel, and our start-up in the place of its firmware, are
compiled by the stand-in for the vendor's compiler and linked as our own kernels are. Decision 19
says why. Object files are kept by everything that they were made from.
"""

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from tilelab.build.cache import kept_object
from tilelab.build.entry import find_entry
from tilelab.build.headers import INCLUDE
from tilelab.build.messages import first_error, what_is_too_long
from tilelab.build.standin.backends import BACKENDS
from tilelab.build.standin.command import Command, read_command
from tilelab.build.standin.driver import CommandFailedError, Driver
from tilelab.build.vendors.tree import WRAPPERS, find_tree, options
from tilelab.kernels.build import SOURCE_SECTION, source_digest
from tilelab.kernels.descriptors import CODE, DATA_IMAGE, named
from tilelab.kernels.kernel_toml.file import KernelFile
from tilelab.sim.errors import BadInputError
from tilelab.sim.files import folder_meanwhile
from tilelab.tensix.arch import ARCHES
from tilelab.tensix.tables.cores import CORE_IDS

ONCE: Final = "#pragma once\n"
SCRIPT: Final = INCLUDE / "tilelab" / "core.ld"
START_UPS: Final = {
    core: INCLUDE
    / "tilelab"
    / f"vendor_{'trisc' if core.startswith('trisc') else 'data_movement'}.cpp"
    for core in WRAPPERS
}
LIBRARY: Final = ("tt_metal/hw/toolchain/substitutes.cpp",)
"""What the vendor links every kernel with."""
THREADS: Final = {"trisc0": "unpack", "trisc1": "math", "trisc2": "pack"}
INSTRUCTION_BUFFER: Final = 0xFFE40000
"""Where a TRISC's stores push words: the linker scripts of the vendor have it."""
NOWHERE: Final = 0xFFB00000
"""The vendor's own start-up is to copy and clear nothing: ours has done so."""


def images(kernel: KernelFile, header: str, compiler: str) -> dict[str, tuple[bytes, bool]]:
    """Each core's ELF, and whether all of it was kept from before.

    BadInputError if something does not compile or link; its summary names file and line.
    """
    assert kernel.build is not None
    if compiler not in BACKENDS:
        raise BadInputError(f"with the vendor's headers, --compiler is {' or '.join(BACKENDS)}")
    tree = find_tree(kernel.build.headers)
    jobs = [
        _Job(kernel, core, source, header, compiler, tree)
        for core, source in kernel.build.sources.items()
    ]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        made = list(pool.map(_Job.image, jobs))
    return {job.core: image for job, image in zip(jobs, made, strict=True)}


@dataclass
class _Job:
    """The ELF of one core."""

    kernel: KernelFile
    core: str
    source: Path
    header: str
    compiler: str
    tree: Path
    said: list[str] = field(default_factory=list)

    def image(self) -> tuple[bytes, bool]:
        with folder_meanwhile("tilelab-") as folder:
            self._write_headers(folder)
            objects = [self._object(folder, path) for path in (self._wrapper, START_UPS[self.core])]
            objects += [self._object(folder, self.tree / name) for name in LIBRARY]
            note = folder / "note.s"
            digest = source_digest(self.source.read_bytes(), self.header)
            note.write_text(f'\t.section {SOURCE_SECTION}, "", @progbits\n\t.ascii "{digest}"\n')
            words = [str(path) for path, _ in objects] + [str(note)]
            out = folder / f"{self.core}.elf"
            self._run(folder, [*self._linking(), "-o", str(out), *words], "link")
            return out.read_bytes(), all(cached for _, cached in objects)

    @property
    def _wrapper(self) -> Path:
        return self.tree / "tt_metal/hw/firmware/src/tt-1xx" / WRAPPERS[self.core]

    def _write_headers(self, folder: Path) -> None:
        """What the vendor's host writes for each kernel."""
        assert self.kernel.build is not None
        source = next(
            name
            for name, path in (
                ("reader", self.kernel.build.reader if self.core == "ncrisc" else None),
                ("writer", self.kernel.build.writer if self.core == "brisc" else None),
                ("source", self.source),
            )
            if path
        )
        brought = []
        if named(self.kernel, source):
            brought = [f"#define TILELAB_NAMED_{source.upper()}", "#include <tilelab_build.h>"]
        text = [*brought, "void kernel_main();", f'#include "{self.source}"', *self._entry]
        files = {"tilelab_build.h": self.header, "defines_generated.h": ONCE}
        files["chlkc_descriptors.h"] = (
            ONCE + "#define TILELAB_DESCRIPTORS\n#include <tilelab_build.h>\n"
        )
        if thread := THREADS.get(self.core):
            begin = [f"#define TRISC_{thread.upper()}", '#include "defines_generated.h"']
            files[f"chlkc_{thread}.cpp"] = "\n".join([*begin, *text, ""])
        else:
            files["kernel_includes.hpp"] = "\n".join([*text, ""])
        for name, content in files.items():
            (folder / name).write_text(content, encoding="utf-8")

    @property
    def _entry(self) -> list[str]:
        entry = find_entry(self.source.read_text(errors="replace"))
        return [entry.main] if entry else []

    def _compiling(self, folder: Path, path: Path) -> list[str]:
        assert self.kernel.build is not None
        own = ["FW_BUILD"]
        if path == self._wrapper:
            own = ["KERNEL_BUILD", "_start=vendor_kernel"]
        places = [folder, self.source.parent, *self.kernel.build.include]
        return [
            *(f"-I{place}" for place in places),
            *options(self.tree, self.kernel.arch, self.core),
            *(f"-D{each}" for each in (*own, 'FULL_KERNEL_NAME="tilelab"')),
            *("-include", str(folder / "tilelab_build.h"), "-c"),
        ]

    def _object(self, folder: Path, path: Path) -> tuple[Path, bool]:
        """The object file of a source, and whether it was kept from before."""
        out = folder / f"{path.stem}.o"
        words = [*self._compiling(folder, path), "-o", str(out), str(path)]
        driver = self._driver(folder, words)
        try:
            text = driver.preprocessed(driver.command.sources[0], "")
        except BadInputError as error:
            raise self._failed("compile", error) from None
        shown = text.replace(str(folder), "")
        parts = (driver.backend.version(), self.core, self.kernel.arch, shown)

        def make() -> bool:
            self._run(folder, words, "compile", driver)
            return True

        return out, kept_object(out, parts, make)

    def _linking(self) -> list[str]:
        code, private = CODE[self.core], ARCHES[self.kernel.arch].local_ram[CORE_IDS[self.core]]
        start = 0 if self.core == "brisc" else code.start
        image = DATA_IMAGE[self.core]
        symbols = {
            **{"__code_start": start, "__code_size": code.stop - start},
            **{"__text_start": code.start, "__data_image": image, "__private_size": private},
            **{"__instrn_buffer": INSTRUCTION_BUFFER, "__kernel_data_lma": NOWHERE},
            **dict.fromkeys(("__ldm_data_start", "__ldm_data_end"), NOWHERE),
            **dict.fromkeys(("__ldm_bss_start", "__ldm_bss_end"), NOWHERE),
        }
        return [
            *options(self.tree, self.kernel.arch, self.core),
            *("-T", str(SCRIPT), "-Wl,-z,muldefs", "-Wl,--gc-sections"),
            *(f"-Wl,--defsym={name}={value:#x}" for name, value in symbols.items()),
        ]

    def _driver(self, folder: Path, words: list[str]) -> Driver:
        command: Command = read_command(words)
        return Driver(BACKENDS[self.compiler](), command, folder, self.said.append)

    def _run(self, folder: Path, words: list[str], what: str, driver: Driver | None = None) -> None:
        try:
            (driver or self._driver(folder, words)).run()
        except BadInputError as error:
            raise self._failed(what, error) from None

    def _failed(self, what: str, error: BadInputError) -> BadInputError:
        """The error at the author's line, where what was said names one."""
        if not isinstance(error, CommandFailedError):
            return BadInputError(f"{self.source}: for {self.core}: {error.summary}", error.detail)
        text = "".join(self.said)
        why = first_error(text, self.source) or what_is_too_long(text)
        named_ = why.startswith(str(self.source))
        summary = why if named_ else f"{self.source}: does not {what} for {self.core}: {why}"
        return BadInputError(summary, text.rstrip())
