"""What debuggers read in an ELF that `tilelab build` made: each word's line, and variables."""

import io
import shutil
from pathlib import Path

import pytest

from tilelab.build.compilers import GCC, find_compiler
from tilelab.build.kernel import build_kernel, source_kernel
from tilelab.build.line_rows import with_rows
from tilelab.debug import Debugger
from tilelab.debug.session import Session
from tilelab.debug.terminal import Terminal
from tilelab.tensix import Tile
from tilelab.tensix.riscv.elf import Program, load_elf
from tilelab.tensix.words.assembly import disassemble
from tilelab.tensix.words.ttinsn import from_ttinsn

KERNEL = """\
#include <tilelab/vector.h>
namespace NAMESPACE {
volatile uint32_t& seen = *reinterpret_cast<volatile uint32_t*>(0x20000);
void MAIN {
#ifdef TRISC_MATH
    TTI_SETRWC(0, 0, 0, 0, 3, 0);
    TTI_STALLWAIT(p_stall::STALL_MATH, p_stall::WAIT_SFPU);
    TTI_ZEROACC(3, 0, 0, 1, 0);
    seen = 1;
    TTI_SEMPOST(2);
    TTI_SEMGET(2);
    sfpi::vFloat x = sfpi::dst_reg[0];
    x = sfpi::abs(x);
    sfpi::dst_reg[0] = x;
    for (uint32_t i = seen; i < 9; ++i) {
        uint32_t twice = 2 * i;
        seen = twice;
        seen = i;
    }
#endif
}
}
"""


def built(name: str, folder: Path) -> dict[str, Program]:
    """KERNEL's programs."""
    if name == "gcc" and not shutil.which(GCC):
        pytest.skip(f"needs {GCC}")
    source = folder / "k.cpp"
    source.write_text(KERNEL, encoding="utf-8")
    made = build_kernel(source_kernel(source), find_compiler(name), folder / "out")
    return {each.core: load_elf(each.path) for each in made}


def lines_of_words(program: Program) -> dict[int, set[str]]:
    """The instructions that the author's lines issue from the instruction stream, by line."""
    found: dict[int, set[str]] = {}
    for address, data in program.segments:
        for at in range(0, len(data) - 3, 4):
            word = int.from_bytes(data[at : at + 4], "little")
            file, _, line = program.line(address + at).partition(":")
            if word & 3 != 3 and file == "k.cpp":
                text = disassemble(from_ttinsn(word)).removeprefix("tt")
                found.setdefault(int(line), set()).add(text.split()[0])
    return found


@pytest.mark.parametrize("name", ["zig", "gcc"])
def test_each_word_is_of_its_own_line(name: str, tmp_path: Path) -> None:
    """Words of macros, of inlined headers, and of the vector unit; what the core does between."""
    found = lines_of_words(built(name, tmp_path)["trisc1"])
    assert found == {
        **{6: {"setrwc"}, 7: {"stallwait"}, 8: {"zeroacc"}, 10: {"sempost"}, 11: {"semget"}},
        **{12: {"sfpload"}, 13: {"sfpabs"}, 14: {"sfpstore"}},
    }


@pytest.mark.parametrize("name", ["zig", "gcc"])
def test_a_kernels_locals_are_there(name: str, tmp_path: Path) -> None:
    tile = Tile("blackhole", "reference")
    tile.load_programs(built(name, tmp_path))
    tile.start("trisc0", "trisc1", "trisc2")
    said = io.StringIO()
    session = Session(Debugger(tile))
    session.choose("trisc1")
    terminal = Terminal(session, stdout=said, strict=True)
    for command in ("break k.cpp:17", "continue", "info locals"):
        terminal.onecmd(command)
    assert "twice = " in said.getvalue()


def test_a_line_is_repeated_only_before_a_word() -> None:
    text = """\
\t.loc 1 5 3 view .LVU1
\t.loc 1 6 3 is_stmt 0 # k.cpp
#APP
\t.pushsection .tilelab_pops
\t.byte 3
\t.popsection
.L7:
\t.word 4
\t.word 8
\t.loc 1 7
\tadd a0, a0, a0
\t.word 12
\t.loc 1 8 1
\t.section .rodata
\t.word 16""".splitlines()
    made = list(with_rows(text))
    assert made.pop(7) == "\t.loc 1 6 3"
    assert made == text
