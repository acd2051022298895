"""Whether a kernel's programs go with its kernel.toml: their places, what they were built of."""

from collections.abc import Mapping
from pathlib import Path

from tilelab.elf.program import Program
from tilelab.elf.reader import Elf, ElfError
from tilelab.kernels.build import SOURCE_SECTION, build_header, source_digest
from tilelab.kernels.kernel_toml.file import KernelFile
from tilelab.sim.errors import BadInputError
from tilelab.tensix.tables.l1_map import CIRCULAR_BUFFERS


def check_apart_from_programs(kernel: KernelFile, programs: Mapping[str, Program]) -> None:
    """BadInputError if an input, output or mailbox lies on a core's program."""
    placed = [(f"inputs[{i}]", item.extent) for i, item in enumerate(kernel.inputs)]
    placed += [(f"outputs[{i}]", item.extent) for i, item in enumerate(kernel.outputs)]
    placed += [
        (f"done.mailboxes.{core}", range(address, address + 4))
        for core, address in kernel.done.mailboxes.items()
    ]
    placed += [(f"buffers[{i}]", item.extent) for i, item in enumerate(kernel.rings)]
    if kernel.circular_buffers:
        placed.append(("the counters of circular buffers", CIRCULAR_BUFFERS))
    for name, extent in placed:
        for core, program in programs.items():
            for start, data in program.segments:
                if extent.start < start + len(data) and start < extent.stop:
                    raise BadInputError(
                        f"{kernel.shown}: {name}: [{extent.start:#x}, {extent.stop:#x}) overlaps "
                        f"{core}'s program ({kernel.elfs[core].name}) "
                        f"[{start:#x}, {start + len(data):#x})"
                    )


def noted(elf: Path, name: str) -> str | None:
    """The text of one of an ELF's sections; None if it has no such section."""
    try:
        file = Elf(elf.read_bytes())
        found = (file.contents(each) for each in file.sections if each.name == name)
        return next((data.decode("ascii", "replace") for data in found), None)
    except (OSError, ElfError):
        return None


def outdated(kernel: KernelFile) -> list[str]:
    """What of a kernel's source or kernel.toml has changed since its ELFs were built, as lines.

    An ELF that does not say what it was built of is compared with the source by date.
    """
    if kernel.build is None:
        return []
    differ: dict[Path, list[str]] = {}
    older: dict[Path, list[str]] = {}
    try:
        header = build_header(kernel)
        for core, source in kernel.build.sources.items():
            elf, digest = kernel.elfs[core], source_digest(source.read_bytes(), header)
            made_of = noted(elf, SOURCE_SECTION)
            if made_of is not None and made_of != digest:
                differ.setdefault(source, []).append(elf.name)
            elif made_of is None and elf.stat().st_mtime < source.stat().st_mtime:
                older.setdefault(source, []).append(elf.name)
    except (BadInputError, OSError):
        return []  # nothing that could be built, so other things made these ELFs
    lines = [
        f"{source.name} or kernel.toml has changed since {_built(names)}"
        for source, names in differ.items()
    ]
    lines += [f"{source.name} has changed since {_built(names)}" for source, names in older.items()]
    return lines


def _built(names: list[str]) -> str:
    return f"{', '.join(names)} {'was' if len(names) == 1 else 'were'} built"
