"""Builds a kernel's ELFs: one for each of the three TRISC cores, from one C++ source, and one each
for NCRISC and BRISC from a reader and a writer, if the kernel has them.

A source is compiled once for each of its cores with tilelab's headers and linked with their
start-up code; addresses of circular buffers, mailboxes and constants come from the kernel.toml.
What the vector unit's C++ leaves open is filled in on the way (:mod:`tilelab.build.vector`). The
result does not depend on the folder; each object file is kept by everything that it was made from.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType

from tilelab.build.cache import kept_object
from tilelab.build.compilers import Compiler
from tilelab.build.entry import find_entry
from tilelab.build.headers import INCLUDE, folders, write_headers
from tilelab.build.hints import (
    COMPUTING,
    INCLUDER,
    MOVING,
    header_of,
    is_included,
    of_vectors,
    open_condition,
    unknown_name,
)
from tilelab.build.line_rows import with_rows
from tilelab.build.messages import call_line, first_error, forbidden_call, what_is_too_long
from tilelab.build.vector import complete
from tilelab.build.vector.text import BYTES, MARK
from tilelab.kernels.build import (
    BEHIND_FIRMWARE,
    CODE,
    COMPUTE,
    DATA_IMAGE,
    ROLES,
    SOURCE_SECTION,
    build_header,
    source_digest,
)
from tilelab.kernels.kernel_toml.building import Build
from tilelab.kernels.kernel_toml.file import Done, KernelFile
from tilelab.sim.errors import BadInputError
from tilelab.sim.files import folder_meanwhile, telling
from tilelab.tensix.arch import ARCHES
from tilelab.tensix.tables.cores import CORE_IDS

START_UP = dict.fromkeys(COMPUTE, INCLUDE / "tilelab" / "trisc.cpp")
"""Each core's start-up code."""
START_UP |= dict.fromkeys(("brisc", "ncrisc"), INCLUDE / "tilelab" / "data_movement.cpp")
SCRIPT = INCLUDE / "tilelab" / "core.ld"
NAMES = {"trisc0": "unpack.elf", "trisc1": "math.elf", "trisc2": "pack.elf"}
MAILBOXES = {"trisc0": 0x1FFB8, "trisc1": 0x1FFBC, "trisc2": 0x1FFC0}
SOURCES = (".cpp", ".cc", ".cxx", ".c++")


@dataclass(frozen=True)
class Built:
    """One ELF: where it is, for which core, and whether it was already kept from before."""

    core: str
    path: Path
    cached: bool


def source_kernel(source: Path, arch: str = "blackhole") -> KernelFile:
    """A source alone as a kernel: no circular buffers, the usual mailboxes, ELFs beside it."""
    if not source.is_file():
        raise BadInputError(f"{source}: no such file")
    source = source.absolute()
    return KernelFile(
        path=source,
        description="",
        arch=arch,
        elfs=MappingProxyType({core: source.with_name(name) for core, name in NAMES.items()}),
        inputs=(),
        outputs=(),
        done=Done(MappingProxyType(MAILBOXES), 0xFF),
        build=Build(source, MappingProxyType({})),
    )


def with_constants(kernel: KernelFile, constants: dict[str, int]) -> KernelFile:
    """The kernel with other values for some of its constants, or with further ones."""
    if kernel.build is None or not constants:
        return kernel
    merged = MappingProxyType({**kernel.build.constants, **constants})
    return replace(kernel, build=replace(kernel.build, constants=merged))


def build_kernel(
    kernel: KernelFile,
    compiler: Compiler,
    folder: Path | None = None,
    note: Callable[[str], None] = lambda text: None,
) -> list[Built]:
    """Build the ELFs where the kernel.toml says, or into a folder; nothing changes on failure.

    ``note`` is told of warnings. BadInputError if something does not compile or link; its summary
    names file and line.
    """
    header = build_header(kernel)
    assert kernel.build is not None  # build_header has checked it
    if kernel.build.headers:
        # few kernels need it
        from tilelab.build.vendors.build import images as with_theirs  # noqa: PLC0415

        return _written(kernel, with_theirs(kernel, header, compiler.name), folder)
    warnings: dict[str, None] = {}
    images: dict[str, tuple[bytes, bool]] = {}
    with folder_meanwhile("tilelab-") as generated:
        (generated / "tilelab_build.h").write_text(header, encoding="ascii")
        write_headers(kernel.arch, generated)
        for core, source in kernel.build.sources.items():
            with telling(source):
                digest = source_digest(source.read_bytes(), header)
            job = _Job(kernel, source, digest, core, compiler, generated, warnings)
            images[core] = job.image()
    for text in warnings:
        note(text)
    return _written(kernel, images, folder)


def _written(
    kernel: KernelFile, images: Mapping[str, tuple[bytes, bool]], folder: Path | None
) -> list[Built]:
    """Write the ELFs."""
    built = []
    for core, (image, cached) in images.items():
        path = folder / kernel.elfs[core].name if folder else kernel.elfs[core]
        with telling(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(image)
        built.append(Built(core, path, cached))
    return built


@dataclass(frozen=True)
class _Job:
    """The ELF of one core."""

    kernel: KernelFile
    source: Path
    digest: str
    core: str
    compiler: Compiler
    generated: Path
    warnings: dict[str, None]

    def image(self) -> tuple[bytes, bool]:
        """The ELF, and whether all of it was kept from before."""
        objects = [self._object(self.source), self._object(START_UP[self.core])]
        return self._linked([path for path, _ in objects]), all(cached for _, cached in objects)

    def _object(self, path: Path) -> tuple[Path, bool]:
        """The object file of a source, and whether it was kept from before."""
        own = path == self.source
        text = self._preprocessed(path)
        digest = self.digest if own else ""
        parts = (self.compiler.version, self.core, self.kernel.arch, digest, text)
        out = self.generated / f"{'kernel' if own else 'start'}-{self.core}.o"

        def make() -> bool:
            said = len(self.warnings)
            self._compiled(path, text, out)
            return len(self.warnings) == said  # what is kept is silent the next time

        return out, kept_object(out, parts, make)

    def _options(self) -> list[str]:
        defines = [f"-D{ROLES[self.core]}", f"-DARCH_{self.kernel.arch.upper()}"]
        if self.core in COMPUTE:
            defines.append(f"-DCOMPILE_FOR_TRISC={COMPUTE.index(self.core)}")
        names, *others, generated = folders(self.generated)  # of two that hold, the last counts
        places = (generated, self.source.parent, *reversed(others), names)
        if entry := find_entry(self.source.read_text(errors="replace")):
            defines.append(f"-DTT_KERNEL={entry.mark}")
        return [*defines, *(f"-ffile-prefix-map={folder}=." for folder in places)]

    def _symbols(self) -> dict[str, int]:
        code = CODE[self.core]
        private = ARCHES[self.kernel.arch].local_ram[CORE_IDS[self.core]]
        return {
            "__code_start": code.start,
            "__code_size": len(code),
            "__text_start": BEHIND_FIRMWARE.get(self.core, code.start),
            "__data_image": DATA_IMAGE[self.core],
            "__private_size": private,
        }

    def _command(self, path: Path, vectors: bool) -> list[str]:
        name = path.name if path.parent == self.source.parent else str(path)
        assert self.kernel.build is not None
        includes = [f"-I{folder}" for folder in self.kernel.build.include]
        includes += [f"-isystem{folder}" for folder in folders(self.generated)]
        compiling = self.compiler.compiling(self.kernel.arch, vectors)
        return [*compiling, *self._options(), *includes, name]

    def _run(self, command: list[str], what: str) -> None:
        done = self.compiler.run(command, self.source.parent, self.generated)
        if done.code:
            summary = self._hinted(first_error(done.messages, self.source))
            if not summary:
                why = what_is_too_long(done.messages)
                summary = (
                    f"{self.source}: does not {what} for {self.core}{': ' if why else ''}{why}"
                )
            raise BadInputError(summary, done.messages.rstrip())
        if done.messages.strip():
            self.warnings[done.messages.rstrip()] = None

    def _hinted(self, error: str) -> str:
        """The first error, with its cause where the compiler does not see that."""
        text = self.source.read_text(errors="replace")
        if found := open_condition(error, text):
            return f"{self.source}:{found[0]}: {found[1]}"
        if hint := of_vectors(error):
            return f"{error}: {hint}"
        name = unknown_name(error)
        if not name or is_included(name, self._already(self.source), self.source.name):
            return error
        headers = COMPUTING if self.core in COMPUTE else MOVING
        if header := header_of(name, headers, self._seen):
            return f"{error.partition(';')[0]}: include <tilelab/{header}.h>"
        if "did you mean" not in error and re.search(rf"\b{name}\b(?!\s*(?:[(<]|::))", text):
            return f"{error}: constants are in [build] of kernel.toml, or -D {name}=…"
        return error

    def _seen(self, text: str) -> str:
        """What this core's compilation sees of a text, as far as it can be preprocessed."""
        (self.generated / INCLUDER).write_text(text, encoding="ascii")
        command = [*self._command(Path(INCLUDER), False), *self.compiler.preprocessing, "-o"]
        out = self._preprocessed_as(Path(INCLUDER))
        self.compiler.run([*command, str(out)], self.generated, self.generated)
        return self._already(Path(INCLUDER))

    def _preprocessed_as(self, path: Path) -> Path:
        return self.generated / f"{path.stem}.ii"

    def _already(self, path: Path) -> str:
        """A source's preprocessed form, as far as there is one."""
        out = self._preprocessed_as(path)
        return out.read_text(errors="replace") if out.exists() else ""

    def _preprocessed(self, path: Path) -> bytes:
        out = self._preprocessed_as(path)
        preprocessing = [*self.compiler.preprocessing, "-o", str(out)]
        self._run([*self._command(path, False), *preprocessing], "compile")
        # the folder of the generated header is another one each time
        return out.read_bytes().replace(str(self.generated).encode(), b"")

    def _compiled(self, path: Path, text: bytes, out: Path) -> None:
        """Compile a source to an object file."""
        vectors = MARK.encode(BYTES) in text and not self.compiler.native_vectors
        assembly = out.with_suffix(".s")
        self._compile([*self._command(path, vectors), "-S", "-o", str(assembly)], assembly)
        whole = assembly.read_text(encoding=BYTES)
        if vectors:
            whole = complete(whole, self.kernel.arch, self.source)
        lines = [*with_rows(whole.splitlines())]
        if path == self.source:  # what `tilelab run` compares
            made_from = f'\t.section {SOURCE_SECTION}, "", @progbits\n\t.ascii "{self.digest}"'
            lines.append(made_from)
        assembly.write_text("\n".join((*lines, "")), encoding=BYTES)
        assembling = self.compiler.assembling(self.kernel.arch)
        self._run([*assembling, str(assembly), "-o", str(out)], "assemble")

    def _compile(self, command: list[str], assembly: Path) -> None:
        """Compile to assembly; a call that the headers forbid is put at the line that led to it."""
        try:
            self._run(command, "compile")
        except BadInputError as error:
            if not (call := forbidden_call(error.detail)):
                raise
            shortened = [*command, "-DTILELAB_ERROR(text)="]
            self.compiler.run(shortened, self.source.parent, self.generated)
            text = assembly.read_text(encoding=BYTES) if assembly.exists() else ""
            if line := call_line(text, call[0], self.source):
                raise BadInputError(f"{self.source}:{line}: {call[1]}", error.detail) from None
            raise

    def _linked(self, objects: list[Path]) -> bytes:
        out = self.generated / f"{self.core}.elf"
        linking = self.compiler.linking(self.kernel.arch, SCRIPT, self._symbols())
        self._run([*linking, *map(str, objects), "-o", str(out)], "link")
        return out.read_bytes()


def constants_from(definitions: list[str]) -> dict[str, int]:
    """``NAME=VALUE`` each, as ``-D`` gives them; BadInputError for anything else."""
    values = {}
    for text in definitions:
        name, _, number = text.partition("=")
        if not number or not re.fullmatch(r"[A-Za-z_]\w*", name, re.ASCII):
            raise BadInputError(f"-D {text}: not NAME=VALUE")
        try:
            value = int(number, 0)
        except ValueError:
            raise BadInputError(f"-D {text}: {number!r} is not a number") from None
        if not 0 <= value <= 0xFFFFFFFF:
            raise BadInputError(f"-D {text}: not a 32-bit value")
        values[name] = value
    return values
