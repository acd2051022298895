"""Faulty programs and their healthy twins, out of one text: assembly, or kernels from source.

A line that begins with ``-`` is of the faulty program alone, one with ``+`` of its twin alone.
``# this`` and ``# other`` (``//`` in C++) mark the two parties of the finding that is expected.
A kernel from source has its inputs in c_0 and c_1 and its output in c_16, ``tiles`` tiles each; or
it includes a header of ``frames``, and its kernel.toml is the one of that name, if there is one.
"""

import re
import shutil
import tempfile
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

from kernel_maker import Buffer, write_kernel
from tilelab.build.compilers import find_compiler
from tilelab.build.kernel import build_kernel
from tilelab.check.engine import CheckedTile
from tilelab.check.run import Checked, checked, set_policies
from tilelab.kernels.assembly_run import run_program
from tilelab.kernels.kernel_toml.file import KernelFile, read_kernel_file
from tilelab.kernels.run import run_kernel
from tilelab.tensix.state.noc_record import ITSELF
from tilelab.tensix.words.assembly import assemble

PROGRAMS = Path(__file__).parent / "programs"
FRAMES = Path(__file__).parent / "frames"
BRISC_DONE = 0x1FFB0
"""BRISC's word in L1, for a kernel that has a program for it."""


@dataclass(frozen=True)
class Faulty:
    """A program with one fault."""

    name: str
    check: str
    stands_for: str
    arch: str
    also: frozenset[str]
    """What else is then found: what the machine refuses, or what the fault leads to."""
    text: str
    suffix: str
    tiles: int
    culprit: str
    """What the most likely mistake of a deadlock must say; ``...`` stands for anything."""
    build: str
    """Further lines of kernel.toml's [build]."""
    this: str
    """The frame in which the finding's first party is, and a text that its line has."""
    streams: str
    """``yes`` for the registers of a chip's tile; ``itself`` if its NoC reaches the tile itself."""
    policy: str
    """``CHECK=POLICY``, or "": for a check that is off unless it is asked for."""
    formats: str
    """``c_1=bfp8 …``: buffers that are not of bf16."""

    def lines(self, healthy: bool) -> list[str]:
        """The lines of the faulty program, or of its twin."""
        drop, keep = ("-", "+") if healthy else ("+", "-")
        lines = self.text.splitlines()
        return [line.removeprefix(f"{keep} ") for line in lines if not line.startswith(f"{drop} ")]

    def places(self) -> list[str]:
        """``file:line`` of the marked parties, this one first."""
        if self.this:
            frame, text = self.this.split(" ", 1)
            (number,) = [
                number
                for number, line in enumerate((FRAMES / frame).read_text("ascii").splitlines(), 1)
                if text in line
            ]
            return [f"{frame}:{number}", *replace(self, this="").places()]
        lines = list(enumerate(self.lines(healthy=False), 1))
        file = f"{self.name}.s" if self.suffix == ".s" else "kernel.cpp"
        return [
            f"{file}:{number}"
            for mark in ("this", "other")
            for number, line in lines
            if line.endswith((f"# {mark}", f"// {mark}"))
        ]

    def run(self, healthy: bool) -> Checked:
        """Run one of the two under the checker."""
        tile = CheckedTile(self.arch)
        tile.state.s.noc.connected = self.connected
        name, _, policy = self.policy.partition("=")
        set_policies(tile, [(name, policy)] if name else ())
        text = "\n".join(self.lines(healthy)) + "\n"
        if self.suffix == ".cpp":
            with tempfile.TemporaryDirectory() as folder:
                kernel = self.kernel(text, Path(folder))
                return checked(self.name, tile, lambda tile: run_kernel(kernel, tile, 100_000))
        program = assemble(text, self.arch, f"{self.name}.s")
        return checked(self.name, tile, lambda tile: run_program(program, tile, 100_000))

    def kernel(self, text: str, folder: Path) -> KernelFile:
        """Build a kernel in a folder."""
        if not find_spec("ziglang"):  # the lines that are named are those of its inlining
            pytest.skip("needs ziglang: pip install 'tilelab[build]'")
        included = re.search(r'^#include "(\w+)\.h"$', text, re.M)
        if included:
            shutil.copy(FRAMES / f"{included[1]}.h", folder)
        if included and (FRAMES / f"{included[1]}.toml").exists():
            shutil.copy(FRAMES / f"{included[1]}.toml", folder / "kernel.toml")
            (folder / "kernel.cpp").write_text(text, "utf-8")
            np.save(folder / "in.npy", np.arange(192 * 32, dtype=np.float32).reshape(192, 32) % 7)
        else:
            self.write_own(text, folder)
        build_kernel(read_kernel_file(folder, elfs_exist=False), find_compiler("zig"))
        return read_kernel_file(folder)

    def write_own(self, text: str, folder: Path) -> None:
        """Write a kernel of ``tiles`` tiles that adds c_0 and c_1, or copies c_0, to c_16."""
        values = np.arange(1024 * self.tiles, dtype=np.float32) % 7
        array = values.reshape(32 * self.tiles, 32)
        given = dict(one.split("=") for one in self.formats.split())
        held = {number: given.get(f"c_{number}", "bf16") for number in (0, 1, *self.outputs)}
        inputs = [Buffer(number, array, held[number]) for number in (0, 1)]
        outputs = [Buffer(number, 2 * array, held[number]) for number in self.outputs]
        write_kernel(
            folder, text, inputs, outputs, self.arch, {"num_tiles": self.tiles}, self.build
        )
        toml = folder / "kernel.toml"
        expect = re.compile(r"^(expect|tolerance) = .*\n", re.M)  # what it leaves is not the point
        written = expect.sub("", toml.read_text("utf-8"))
        if "writer" in self.build:  # BRISC runs a program as well
            written = re.sub(r"^(elfs = \{)", r'\1brisc = "writer.elf", ', written, flags=re.M)
            written = re.sub(
                r"^(mailboxes = \{)", rf"\1brisc = {BRISC_DONE:#x}, ", written, flags=re.M
            )
        toml.write_text(written, "utf-8")

    @property
    def connected(self) -> int:
        """What the tile's NoC interfaces reach."""
        return {"": 0, "yes": 1, "itself": ITSELF}[self.streams]

    @property
    def outputs(self) -> list[int]:
        """The circular buffers beside the inputs."""
        return sorted({int(number) for number in re.findall(r"c_(\d+)", self.text)} - {0, 1} | {16})


def read(path: Path) -> Faulty:
    """Read a program and what it says about itself."""
    text = path.read_text(encoding="ascii")
    said = {"arch": "blackhole", "also": "", "tiles": "4", "culprit": "", "build": ""}
    said |= {"streams": "", "this": "", "policy": "", "formats": ""}
    for line in text.splitlines():
        for key in (*said, "check", "stands for"):
            for comment in ("#", "//"):
                if line.startswith(f"{comment} {key} "):
                    said[key] = line.removeprefix(f"{comment} {key} ")
    return Faulty(
        name=path.stem,
        check=said["check"],
        stands_for=said["stands for"],
        arch=said["arch"],
        also=frozenset(said["also"].split()),
        text=text,
        suffix=path.suffix,
        tiles=int(said["tiles"]),
        culprit=said["culprit"],
        build=said["build"],
        this=said["this"],
        streams=said["streams"],
        policy=said["policy"],
        formats=said["formats"],
    )


def corpus() -> list[Faulty]:
    """All faulty programs."""
    return [read(path) for path in sorted(PROGRAMS.iterdir()) if path.suffix in (".s", ".cpp")]
