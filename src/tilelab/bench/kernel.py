"""A benchmark's program as a kernel that ``tilelab run`` takes: an ELF and a kernel.toml."""

import struct
from pathlib import Path

import numpy as np

from tilelab.bench.program import DONE, GO, RESET_PC
from tilelab.bench.work import IN_A, IN_B, THREAD, Work

PROGBITS, STRTAB = 1, 3
HEADER = struct.Struct("<16sHHIIIIIHHHHHH")
SECTION = struct.Struct("<10I")

KERNEL = """\
description = "{name}, {repeats} passes of the loop"
elfs = {{ trisc{core} = "program.elf" }}
inputs = [
    {{ file = "a.npy", address = {a:#x}, format = "bf16", layout = "tile" }},
    {{ file = "b.npy", address = {b:#x}, format = "bf16", layout = "tile" }},
]
done = {{ mailboxes = {{ trisc{core} = {done:#x} }}, value = 1 }}
"""


def elf(sections: dict[str, tuple[int, bytes]]) -> bytes:
    """An executable of sections, each with its address and contents."""
    names = b"\0" + b"".join(name.encode() + b"\0" for name in (*sections, ".shstrtab"))
    body, headers = b"", bytes(SECTION.size)
    for name, (address, data) in {**sections, ".shstrtab": (0, names)}.items():
        kind = STRTAB if name == ".shstrtab" else PROGBITS
        at, where = names.index(b"\0" + name.encode() + b"\0") + 1, HEADER.size + len(body)
        headers += SECTION.pack(at, kind, 6, address, where, len(data), 0, 0, 4, 0)
        body += data
    count = len(sections) + 2
    header = HEADER.pack(
        b"\x7fELF\1\1\1", 2, 243, 1, 0, 0, HEADER.size + len(body), 0,
        HEADER.size, 32, 0, SECTION.size, count, count - 1,
    )  # fmt: skip
    return header + body + headers


def write_kernel(folder: Path, work: Work, repeats: int) -> None:
    """Make a folder that holds a work of one Tensix thread as a kernel."""
    folder.mkdir(parents=True)
    sections = {
        ".init": (RESET_PC[THREAD], work.programs()[THREAD]),
        ".text": (GO, struct.pack("<II", 1, repeats)),  # so the one run starts at once
    }
    (folder / "program.elf").write_bytes(elf(sections))
    rng = np.random.default_rng(0)
    for name in ("a", "b"):
        np.save(folder / f"{name}.npy", rng.standard_normal((32, 32)).astype(np.float32))
    text = KERNEL.format(
        name=work.name, repeats=repeats, core=THREAD, a=IN_A, b=IN_B, done=DONE + 4 * THREAD
    )
    (folder / "kernel.toml").write_text(text, encoding="utf-8")
