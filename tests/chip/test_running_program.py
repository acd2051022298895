"""Which program of a host's cache a core runs, by its code in L1."""

from pathlib import Path

import numpy as np
import pytest

from reference_data import ROOT
from tilelab.chip.running import MovedProgram, running_program
from tilelab.elf.frames import Frame
from tilelab.tensix.arch import arch
from tilelab.tensix.riscv.elf import Program, load_elf
from tilelab.tensix.state import TensixState

BRISC = 3
EXAMPLES = sorted((ROOT / "examples").glob("*/math.elf"))[:3]
assert EXAMPLES


def text_of(program: Program) -> tuple[int, bytes]:
    """Where the section .text was linked, which ends the code, and its bytes."""
    return max(program.segments)


def holding(address: int, code: bytes) -> TensixState:
    state = TensixState(arch("blackhole"))
    state.l1[address : address + len(code)] = np.frombuffer(code, np.uint8)
    return state


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TT_METAL_CACHE", str(tmp_path))
    for i, path in enumerate(EXAMPLES):
        folder = tmp_path / f"key/kernels/kernel{i}/1/brisc"
        folder.mkdir(parents=True)
        (folder / "brisc.elf").write_bytes(path.read_bytes())
    (tmp_path / "key/kernels/damaged").mkdir()
    (tmp_path / "key/kernels/damaged/brisc.elf").write_bytes(b"\x7fELF and no more")
    return tmp_path


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.parent.name)
def test_a_program_is_found_wherever_it_lies(example: Path, cache: Path) -> None:
    linked = load_elf(example)
    start, code = text_of(linked)
    there = 0x9120
    at = len(code) // 8 * 4
    found = running_program(holding(there, code), BRISC, there + at)
    assert found is not None
    assert found.describe(there + at) == linked.describe(start + at)
    assert found.describe(there + at)
    assert found.describe(0x100) == ""


def test_no_other_program_is_taken_for_it(cache: Path) -> None:
    _start, code = text_of(load_elf(EXAMPLES[0]))
    assert running_program(holding(0x100, code[:-4] + bytes(4)), BRISC, 0x100) is None
    assert running_program(holding(0x100, code), BRISC, 0x100) is not None
    assert running_program(holding(0x100, code), 4, 0x100) is None  # NCRISC has none
    assert running_program(holding(0x100, code), BRISC, 0xFFC0_0000) is None


def jal(words: int) -> bytes:
    """A call so many words further on."""
    far = 4 * words
    word = (far >> 20 & 1) << 31 | (far >> 1 & 0x3FF) << 21 | (far >> 11 & 1) << 20
    return (word | (far >> 12 & 0xFF) << 12 | 1 << 7 | 0x6F).to_bytes(4, "little")


FIRMWARE, KERNEL, HELPER, SHARED, FAR = (0x100 + 16 * i for i in range(5))
NOP = (0x13).to_bytes(4, "little")


@pytest.fixture
def moved(monkeypatch: pytest.MonkeyPatch) -> MovedProgram:
    """Firmware that calls a kernel, which calls one function once and another one twice."""
    rows = [
        [jal(4), NOP, NOP, NOP],
        [jal(4), jal(7), jal(6), NOP],
        [NOP] * 4,
        [NOP] * 4,
        [NOP] * 4,
    ]
    frames = {
        KERNEL: (Frame("kernel_main", "reader.cpp", 7), Frame("go", "api.h", 1)),
        KERNEL + 4: (Frame("kernel_main", "reader.cpp", 8),),
        KERNEL + 8: (Frame("kernel_main", "kernel_includes.hpp", 9),),
        KERNEL + 12: (Frame("_start", "brisck.cc", 5), Frame("kernel_main", "reader.cpp", 10)),
        HELPER: (Frame("help", "api.h", 2), Frame("store", "low.h", 3)),
        SHARED: (Frame("share", "api.h", 4),),
        FAR: (Frame("unknown", "api.h", 6),),
    }
    monkeypatch.setattr(Program, "frames", lambda _, pc: frames.get(pc, ()))
    names = ("_start", "kernel_main", "help", "share", "unknown")
    symbols = tuple(zip((FIRMWARE, KERNEL, HELPER, SHARED, FAR), names, strict=True))
    code = b"".join(word for row in rows for word in row)
    return MovedProgram(Path("brisc.elf"), FIRMWARE, ((FIRMWARE, code),), symbols, by=0x5000)


@pytest.mark.parametrize(
    ("at", "says"),
    [
        (KERNEL + 4, "reader.cpp:8"),
        (KERNEL + 12, "reader.cpp:10"),  # without firmware's line, that had it inlined
        (KERNEL + 8, "your kernel:9"),  # whose text was in no file
        (HELPER, "reader.cpp:7 → go → help → store → low.h:3"),
        (SHARED, "reader.cpp:8 or your kernel:9 → share → api.h:4"),
        (FAR, "api.h:6"),  # nobody calls it directly
        (FIRMWARE, ""),
    ],
)
def test_a_place_begins_with_the_kernels_own_line(moved: MovedProgram, at: int, says: str) -> None:
    assert moved.source(at + 0x5000) == says
