"""What kernels print and assert: in tilelab's words and in the vendor's."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

from cli.command import tilelab
from tilelab.build.compilers import find_compiler
from tilelab.build.kernel import build_kernel
from tilelab.cli.main import main
from tilelab.sim.errors import BadInputError, DeadlockError, UndefinedBehaviorError
from tilelab.tensix import KernelResult, read_kernel_file, run_kernel

Capture = pytest.CaptureFixture[str]
INCLUDES = '#include "debug/dprint.h"\n#include "api/debug/assert.h"\n#include <tilelab/print.h>\n'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A new kernel, not built."""
    assert main(["new", "--no-build", str(tmp_path / "mine")]) == 0
    return tmp_path / "mine"


def run(folder: Path, before_the_loop: str = "", each: str = "", waited: str = "") -> KernelResult:
    """Build and run the kernel with some statements more; ``waited`` is behind cb_wait_front."""
    source = folder / "kernel.cpp"
    text = source.read_text()
    text = text.replace("    for (", f"    {before_the_loop}\n    for (", 1)
    text = text.replace("tile_regs_acquire();", f"tile_regs_acquire();\n{each}")
    text = text.replace("cb_wait_front(cb_b, 1);", f"cb_wait_front(cb_b, 1);\n{waited}")
    source.write_text(INCLUDES + text)
    build_kernel(read_kernel_file(folder, elfs_exist=False), find_compiler(""))
    return run_kernel(folder)


def test_every_core_prints_its_lines_in_order(folder: Path) -> None:
    result = run(folder, each='tilelab::print("tile ", i, " of ", num_tiles);')
    assert result.passed
    for core in ("TRISC0", "TRISC1", "TRISC2"):
        mine = [line for line in result.prints if line.startswith(core)]
        assert mine == [f"{core}: tile {i} of 4" for i in range(4)]


STREAM = [
    ("\"a\" << 'b' << 1u << -2 << true", "ab1-21"),
    ("HEX() << 255 << ' ' << -1 << OCT() << ' ' << 8 << DEC() << ' ' << 10", "ff ffffffff 10 10"),
    ("1.5f << ' ' << 1.0f / 3 << ' ' << BF16(0x4049)", "1.5 0.3333 3.141"),
    ("F32(-0.0f) << U32(7)", "-07"),
    ("(1ull << 40) << ' ' << -(1ll << 40)", f"{1 << 40} {-(1 << 40)}"),
    ("SETW(5, false) << 12 << 34", "   1234"),
    ("SETPRECISION(7) << 1.0f / 3", "0.3333333"),
    ("FIXED() << 2.0f << DEFAULTFLOAT() << 2.0f", "2.00000002"),
    ("SETW(5) << 12 << 34", "   12   34"),
]
"""What is printed, and what comes out; number bases, precision and width stay from line to line."""


def test_the_vendors_stream(folder: Path) -> None:
    statements = " ".join(f"DPRINT << {printed} << ENDL();" for printed, _ in STREAM)
    result = run(folder, f"DPRINT_MATH({statements});")
    assert result.prints == [f"TRISC1: {said}" for _, said in STREAM]


def test_a_tile_is_printed_as_it_is_then(folder: Path) -> None:
    result = run(folder, waited="DPRINT_UNPACK(DPRINT << TSLICE(cb_a, 0, SliceRange::h0_w0_32()));")
    a = np.load(folder / "a.npy")
    rows = [line.removeprefix("TRISC0: ").split() for line in result.prints if line != "TRISC0: "]
    for i, row in enumerate(rows):
        tile = a[32 * (i // 2), 32 * (i % 2) :][:32]
        assert np.allclose(np.array(row, float), tile, rtol=0.01, atol=0.01)
    assert len(rows) == 4


def test_the_documentations_statements(folder: Path) -> None:
    page = (Path(__file__).parents[2] / "docs" / "kernels.md").read_text(encoding="utf-8")
    include, statements = next(
        block.split("\n\n")
        for block in re.findall(r"```cpp\n(.*?)```", page, re.S)
        if "DPRINT" in block
    )
    assert include == "#include <tilelab/print.h>"
    lines = run(folder, waited=statements).prints
    for core, each in (("TRISC0", 2), ("TRISC1", 2), ("TRISC2", 1)):
        assert sum(line.startswith(f"{core}: ") for line in lines) == 4 * each, core


def test_a_full_ring_waits_for_the_host(folder: Path) -> None:
    result = run(folder, 'for (int j = 0; j < 500; ++j) MATH(tilelab::print("line ", j));')
    assert result.passed
    assert result.prints == [f"TRISC1: line {j}" for j in range(500)]


def test_an_assertion_ends_the_run_at_its_line(folder: Path) -> None:
    with pytest.raises(UndefinedBehaviorError) as failed:
        run(folder, each='tilelab::print(i); MATH(ASSERT(i != 2, "never"));')
    line = next(
        n for n, text in enumerate((folder / "kernel.cpp").read_text().splitlines(), 1)
        if "ASSERT(i" in text
    )  # fmt: skip
    place = f"kernel.cpp:{line}"
    assert failed.value.summary.endswith(f"TRISC1: {place}: assertion failed: i != 2")
    assert "printed:\n  TRISC" in failed.value.detail
    assert f"({place}" in failed.value.detail


def test_assertions_that_hold_cost_no_record(folder: Path) -> None:
    assert run(folder, each='LLK_ASSERT(i < num_tiles, "too many"); TILELAB_ASSERT(true);').passed


def test_a_deadlock_says_what_was_printed(folder: Path) -> None:
    with pytest.raises(DeadlockError) as stuck:
        run(folder, each='PACK(DPRINT << "last words"; cb_wait_front(cb_a, 0); for (;;) {})')
    assert "  TRISC2: last words" in stuck.value.detail


def test_a_ring_needs_its_place(folder: Path) -> None:
    kernel = folder / "kernel.toml"
    kernel.write_text(kernel.read_text().replace("0x21000", "0x1D000"))
    with pytest.raises(BadInputError, match="TRISC0 prints through L1"):
        run(folder, "tilelab::print(1);")


def test_the_command_line_shows_and_lists_them(folder: Path, capsys: Capture) -> None:
    run(folder, 'MATH(tilelab::print("[hello]"));')
    assert "\n  TRISC1: [hello]\n" in tilelab(capsys, "run", folder).out
    document = json.loads(tilelab(capsys, "run", "--json", folder).out)
    assert document["kernels"][0]["prints"] == ["TRISC1: [hello]"]
    assert tilelab(capsys, "view", folder, "-o", folder / "page.html").code == 0
    assert "printed: TRISC1: [hello]" in (folder / "page.html").read_text()
