"""Source lines and inlined calls, compared with Debian's addr2line and across compilers."""

import io
import random
import shutil
import subprocess
from pathlib import Path, PurePosixPath

import pytest
from elftools.elf.elffile import ELFFile

from tilelab.elf.dwarf import DAMAGED, NO_DEBUG_DATA, SPLIT_FILES, ReadDebugInfo
from tilelab.elf.writer import ElfBuilder
from tilelab.tensix.riscv.elf import load_elf

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = sorted((ROOT / "examples").glob("*/*.elf"))
ADDR2LINE = shutil.which("riscv64-unknown-elf-addr2line")
GCC = shutil.which("riscv64-unknown-elf-g++")
LD = shutil.which("riscv64-unknown-elf-ld")
CLANG = shutil.which("clang++")
TARGET = ["-march=rv32im", "-mabi=ilp32", "-nostdlib", "-ffreestanding", "-std=c++20", "-O2"]
HEADER = """
extern volatile int reg;
static inline __attribute__((always_inline)) int leaf(int x) {
  reg = x;
  return reg * 3;
}
"""
KERNEL = """
#include "h.h"
extern "C" int g(int);
template <int N> static inline __attribute__((always_inline)) int twice(int x) {
  if (x > N) { return leaf(x) * 2; }
  return x;
}
namespace a {
struct S {
  int v;
  __attribute__((always_inline)) inline int get(int k) const {
    auto f = [&](int q) { return leaf(q + v); };
    return f(k) + twice<3>(k);
  }
};
}
extern "C" int run(int x) {
  a::S s{x};
  int r = 0;
  for (int i = 0; i < x; i++) {
    r += s.get(i);
    if (r & 1) r += twice<4>(r);
  }
  return r + g(x);
}
"""
MAIN = """
#include "h.h"
volatile int reg;
extern "C" int run(int);
extern "C" int g(int x) { return leaf(x) + leaf(x + 1); }
extern "C" int dead(int x) { return leaf(x) + leaf(x + 7); }
extern "C" __attribute__((section(".init"))) void _start() {
  reg = run(7);
  for (;;) leaf(1);
}
"""
LAYOUT = """
ENTRY(_start)
SECTIONS {
  . = 0;
  .init : { KEEP(*(.init*)) }
  .text : { *(.text*) }
  .ldm_data 0xffb00000 (NOLOAD) : { *(.data*) *(.bss*) *(.sbss*) *(.sdata*) }
}
"""
GCC_WAYS = {
    "dwarf2": ["-gdwarf-2"],
    "dwarf3": ["-gdwarf-3"],
    "dwarf4": ["-gdwarf-4"],
    "dwarf5": ["-gdwarf-5"],
    "little": ["-g1"],
    "compressed": ["-g", "-gz"],
    "link-time": ["-g", "-flto"],  # origins in another unit
    "sections-dropped": ["-g", "-ffunction-sections", "-Wl,--gc-sections"],  # their code is at 0
    "relocations-kept": ["-g", "-Wl,--emit-relocs"],  # as the vendor's host software links
    "not-optimised": ["-g", "-O0"],
    "for-size": ["-g", "-Os"],
}


def debug_info(path: Path) -> tuple[ReadDebugInfo, list[int]]:
    """An ELF's debugging data, and every address of its code."""
    image = path.read_bytes()
    sections = [s for s in ELFFile(io.BytesIO(image)).iter_sections() if s["sh_flags"] & 4]
    code = [(s["sh_addr"], s["sh_addr"] + s["sh_size"]) for s in sections]
    return ReadDebugInfo(image, code), [pc for start, end in code for pc in range(start, end, 2)]


def addr2line(path: Path, places: list[int]) -> dict[int, list[str]]:
    """What addr2line -i says of each address: ``file:line``, innermost first."""
    assert ADDR2LINE
    text = subprocess.run(
        [ADDR2LINE, "-a", "-i", "-e", str(path)],
        input="\n".join(map(hex, places)),
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    found: dict[int, list[str]] = {}
    for line in text.splitlines():
        if line.startswith("0x"):
            current = found[int(line, 16)] = []
        else:
            name = PurePosixPath(line.split(" (disc")[0]).name
            current.append("" if name.startswith("??") else name)
    return found


def check_against_addr2line(path: Path) -> int:
    """Compare all addresses; how many of them have inlined calls."""
    debug, places = debug_info(path)
    assert not debug.note
    wanted = addr2line(path, places)
    inlined = 0
    for pc in places:
        frames = debug.frames(pc)
        got = [frame.place for frame in reversed(frames)] or [""]
        assert got == wanted[pc], hex(pc)
        inlined += len(frames) > 1
    return inlined


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    texts = {"h.h": HEADER, "k.cpp": KERNEL, "m.cpp": MAIN, "l.ld": LAYOUT}
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def compile_with_gcc(folder: Path, *options: str) -> Path:
    if GCC is None:
        pytest.skip("no riscv64-unknown-elf-g++ (Debian: gcc-riscv64-unknown-elf)")
    command = [GCC, *TARGET, *options, "k.cpp", "m.cpp", "-Tl.ld", "-o", "k.elf"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    return folder / "k.elf"


@pytest.mark.skipif(ADDR2LINE is None, reason="no riscv64-unknown-elf-addr2line (binutils)")
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_every_address_of_the_examples_has_addr2lines_frames(path: Path) -> None:
    assert check_against_addr2line(path) > 100


@pytest.mark.skipif(ADDR2LINE is None, reason="no riscv64-unknown-elf-addr2line (binutils)")
@pytest.mark.parametrize("way", GCC_WAYS)
def test_every_way_of_compiling_has_addr2lines_frames(way: str, sources: Path) -> None:
    assert check_against_addr2line(compile_with_gcc(sources, *GCC_WAYS[way])) > 20


def test_names_of_inlined_functions(sources: Path) -> None:
    debug, places = debug_info(compile_with_gcc(sources, "-g"))
    chains = {tuple(frame.function for frame in debug.frames(pc)) for pc in places}
    assert ("run", "get", "operator()", "leaf") in chains
    assert ("run", "twice", "leaf") in chains  # without its template argument
    assert ("_start", "leaf") in chains


@pytest.mark.parametrize("version", [4, 5])
def test_clangs_debugging_data(version: int, sources: Path) -> None:
    """Its DWARF 5 keeps addresses, ranges and strings in tables, which addr2line cannot read."""
    if CLANG is None or LD is None:
        pytest.skip("no clang++, or no riscv64-unknown-elf-ld")
    for name in ("k", "m"):
        options = ["--target=riscv32-unknown-elf", *TARGET, "-mno-relax", f"-gdwarf-{version}"]
        command = [CLANG, *options, "-c", f"{name}.cpp", "-o", f"{name}.o"]
        subprocess.run(command, cwd=sources, check=True, capture_output=True)
    command = [LD, "-m", "elf32lriscv", "-Tl.ld", "k.o", "m.o", "-o", "k.elf"]
    subprocess.run(command, cwd=sources, check=True)
    debug, places = debug_info(sources / "k.elf")
    assert not debug.note
    found = {tuple((f.function, f.file) for f in debug.frames(pc)) for pc in places}
    inner = (("get", "k.cpp"), ("operator()", "k.cpp"), ("leaf", "h.h"))
    assert (("run", "k.cpp"), *inner) in found
    if version == 4 and ADDR2LINE:
        assert check_against_addr2line(sources / "k.elf") > 20


@pytest.mark.parametrize("version", [4, 5])
def test_split_debugging_data_costs_the_inlined_calls_and_says_so(
    version: int, sources: Path
) -> None:
    path = compile_with_gcc(sources, f"-gdwarf-{version}", "-gsplit-dwarf")
    debug, places = debug_info(path)
    assert debug.note == SPLIT_FILES
    assert all(len(debug.frames(pc)) == 1 for pc in places)
    assert {debug.frames(pc)[0].file for pc in places} == {"h.h", "k.cpp", "m.cpp"}


def test_a_program_without_debugging_data_says_so(tmp_path: Path) -> None:
    path = tmp_path / "bare.elf"
    path.write_bytes(ElfBuilder(symbols=[("_start", 0, 2)]).add(".init", 0, b"\x13\0\0\0").build())
    program = load_elf(path)
    assert (program.line(0), program.source(0), program.describe(0)) == ("", "", "_start")
    assert program.note == f"bare.elf {NO_DEBUG_DATA}"


def test_authors_line_comes_first() -> None:
    program = load_elf(ROOT / "examples" / "matmul" / "math.elf")
    assert not program.note
    code = [pc for start, data in program.segments for pc in range(start, start + len(data), 4)]
    issued = [pc for pc in code if program.source(pc).endswith("→ issue.h:24")]
    assert issued
    for pc in issued:
        assert program.line(pc).startswith("kernel.cpp:")
        assert program.source(pc).startswith(program.line(pc) + " → ")
        assert "issue.h" not in program.line(pc)


def test_damaged_debugging_data_costs_lines_only() -> None:
    image = (ROOT / "examples" / "matmul" / "math.elf").read_bytes()
    sections = [s for s in ELFFile(io.BytesIO(image)).iter_sections() if ".debug" in s.name]
    code = [(0xA000, 0xA250)]
    rng = random.Random(7)
    notes = set()
    for _ in range(150):
        damaged = bytearray(image)
        for _ in range(rng.choice((1, 2, 20))):
            section = rng.choice(sections)
            at = section["sh_offset"] + rng.randrange(section["sh_size"])
            damaged[at] = rng.choice((0, 1, 0x7F, 0x80, 0xFF))
        debug = ReadDebugInfo(bytes(damaged), code)
        for pc in range(0xA000, 0xA250, 16):
            assert isinstance(debug.frames(pc), tuple)
        notes.add(debug.note)
    assert {"", DAMAGED} <= notes <= {"", DAMAGED, NO_DEBUG_DATA, SPLIT_FILES}


def test_a_list_of_nameless_files_is_refused_at_once() -> None:
    """Its entries take no room, so that its length would be as long as its count says."""
    image = bytearray((ROOT / "examples" / "matmul" / "math.elf").read_bytes())
    line = ELFFile(io.BytesIO(bytes(image))).get_section_by_name(".debug_line")["sh_offset"]
    opcode_base = image[line + 4 + 2 + 2 + 4 + 5]
    at = line + 4 + 2 + 2 + 4 + 6 + opcode_base - 1
    image[at : at + 6] = b"\0\xff\xff\xff\xff\x7f"  # no fields, 2^35 folders
    debug = ReadDebugInfo(bytes(image), [(0xA000, 0xA250)])
    assert debug.note == DAMAGED
