"""A benchmark's program as a kernel that ``tilelab run`` takes: an ELF and a kernel.toml."""

import struct
from pathlib import Path

import numpy as np

from tilelab.bench.program import DONE, GO
from tilelab.bench.work import IN_A, IN_B, THREAD, Work
from tilelab.elf.writer import ElfBuilder
from tilelab.tensix.tables.cores import FIXED_RESET_PC

KERNEL = """\
description = "{name}, {repeats} passes of the loop"
elfs = {{ trisc{core} = "program.elf" }}
inputs = [
    {{ file = "a.npy", address = {a:#x}, format = "bf16", layout = "tile" }},
    {{ file = "b.npy", address = {b:#x}, format = "bf16", layout = "tile" }},
]
done = {{ mailboxes = {{ trisc{core} = {done:#x} }}, value = 1 }}
"""


def write_kernel(folder: Path, work: Work, repeats: int) -> None:
    """Make a folder that holds a work of one Tensix thread as a kernel."""
    folder.mkdir(parents=True)
    elf = ElfBuilder().add(".init", FIXED_RESET_PC[THREAD], work.programs()[THREAD])
    elf.add(".text", GO, struct.pack("<II", 1, repeats))  # so the one run starts at once
    (folder / "program.elf").write_bytes(elf.build())
    rng = np.random.default_rng(0)
    for name in ("a", "b"):
        np.save(folder / f"{name}.npy", rng.standard_normal((32, 32)).astype(np.float32))
    text = KERNEL.format(
        name=work.name, repeats=repeats, core=THREAD, a=IN_A, b=IN_B, done=DONE + 4 * THREAD
    )
    (folder / "kernel.toml").write_text(text, encoding="utf-8")
