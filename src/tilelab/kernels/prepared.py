"""Whether what unpackers and packers were prepared for is what they were then used on.

A kernel's programs say which circular buffers their …_init functions name and which ones they
unpack and pack, and kernel.toml says in which format each is. What is known is where in the code
that is, not in which order it runs: so it is told only where no …_init is of the format.
"""

from collections.abc import Iterator, Mapping

from tilelab.elf.buffer_notes import ANY_BUFFER, Does
from tilelab.kernels.kernel_toml.file import KernelFile
from tilelab.tensix.riscv.elf import Program
from tilelab.tensix.words.origin import CORE_NAMES

ROLES = (
    (Does.PREPARES_UNPACK_A, Does.UNPACKS_A, "the unpacker"),
    (Does.PREPARES_UNPACK_B, Does.UNPACKS_B, "the other unpacker"),
    (Does.PREPARES_PACK, Does.PACKS, "the packer"),
)
"""What prepares, what it is for, and for whom."""
ALIKE = {"uint32": "int32", "int32sm": "int32", "uint16": "int16"}
"""Formats that are moved as others are."""


def unprepared(kernel: KernelFile, programs: Mapping[int, Program]) -> list[str]:
    """A line for each use of a buffer whose format no …_init has, or that has no …_init at all."""
    formats = {
        item.buffer: item.format for item in kernel.circular_buffers if item.buffer is not None
    }
    lines: dict[str, None] = {}
    for core, program in programs.items():
        for prepares, uses, whom in ROLES:
            lines |= dict.fromkeys(_told(program, CORE_NAMES[core], prepares, uses, whom, formats))
    return list(lines)


def _told(
    program: Program, core: str, prepares: Does, uses: Does, whom: str, formats: Mapping[int, str]
) -> Iterator[str]:
    inits = [note for note in program.notes if note.does == prepares]
    if any(note.buffer not in formats for note in inits):
        return  # known at run time only
    first = {_moved(formats[note.buffer]): note for note in reversed(inits)}
    for note in program.notes:
        if note.does != uses or note.buffer == ANY_BUFFER or note.buffer not in formats:
            continue
        name = formats[note.buffer]
        if not inits:
            yield (
                f"{_call(program, note.address)} of c_{note.buffer}: no …_init prepares {whom} "
                f"({core}) for it; a MOP that nobody programmed is what ran before, or nothing"
            )
        elif _moved(name) not in first:
            others = ", ".join(
                f"{_call(program, other.address)} of c_{other.buffer}, {formats[other.buffer]}"
                for other in first.values()
            )
            yield (
                f"{_call(program, note.address)} of c_{note.buffer}, {name}: {whom} is prepared "
                f"for another format ({others})"
            )


def _moved(name: str) -> str:
    return ALIKE.get(name, name)


def _call(program: Program, address: int) -> str:
    """The author's line, and what is called there: ``kernel.cpp:12: copy_tile``."""
    frames = program.frames(address)
    named = [frame.function for frame in frames if frame.function]
    name = named[1] if len(named) > 1 else named[0] if named else "something"
    place = program.line(address)
    return f"{place}: {name}" if place else name
