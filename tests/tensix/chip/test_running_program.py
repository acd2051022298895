"""Which program of a host's cache a core runs, by its code in L1."""

from pathlib import Path

import numpy as np
import pytest

from reference_data import ROOT
from tilelab.tensix.arch import arch
from tilelab.tensix.chip.library.running import running_program
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
