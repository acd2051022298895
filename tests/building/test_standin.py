"""The stand-in for the vendor's compiler: laid out, called by its path, and what it makes runs."""

from pathlib import Path
from shutil import which

import numpy as np
import pytest

from standin_harness import OPTIONS, call, laid_out
from tilelab.build.compilers import GCC
from tilelab.build.standin.command import read_command
from tilelab.build.standin.objects import read_object, symbols
from tilelab.sim.errors import BadInputError
from tilelab.tensix import Tile

DONE, RESULT, CODE = 0x1FFBC, 0x20000, 0xA000
CHIPS = {"blackhole": "bh", "wormhole": "wh"}
SCRIPT = """
MEMORY { CODE : ORIGIN = 0xA000, LENGTH = 16K  PRIVATE : ORIGIN = 0xFFB00000, LENGTH = 1K }
__instrn_buffer = 0xFFE40000;
__stack_top = 0xFFB007F0;
ENTRY(_start)
SECTIONS {
  .init : { KEEP(*(.init)) } > CODE
  .text : { *(.text .text.*) *(.rodata .rodata.* .srodata .srodata.*) } > CODE
  .bss (NOLOAD) : { *(.bss .bss.* .sbss .sbss.*) } > PRIVATE
  .notes 0x6400000 : { KEEP(*(.notes)) }
}
"""
START = """
extern "C" __attribute__((section(".init"), naked, noreturn)) std::uint32_t _start() {
    asm volatile("la sp, %0" : : "i"(__stack_top) : "memory");
    work();
    *reinterpret_cast<volatile std::uint32_t*>(0x1FFBC) = 0xFF;
    for (;;) {}
}
"""
VECTORS = """
#include <cstdint>
#include <algorithm>
#include <array>
#include <sfpi.h>
#include <lltt.h>
extern const std::uint32_t __stack_top[];
#define TTI(word) __asm__ __volatile__(".ttinsn %0" : : "n"(word))
template <int ITERATIONS> inline void calculate(std::uint32_t scale) {
    auto twice = [] __attribute__((always_inline)) (sfpi::vFloat x) { return x + x; };
#pragma GCC unroll ITERATIONS
    for (int i = 0; i < ITERATIONS; ++i) {
        sfpi::vFloat x = sfpi::dst_reg[0].mode<sfpi::DataLayout::F32>();
        sfpi::vFloat y = 0.0f;
        v_if(x < 0.0f) { y = 1.0f; }
        v_elseif(x >= 2.0f) { y = twice(x) * sfpi::vConst1; }
        v_endif;
        sfpi::dst_reg[0].mode<sfpi::DataLayout::F32>() = y;
        sfpi::dst_reg++;
    }
}
[[gnu::noinline]] void work() {
    TTI(0x8A00300A);  // SFPENCC: flags predicate lanes, and all are enabled
    calculate<2>(3);
    *reinterpret_cast<volatile std::uint32_t*>(0xFFE80004) = 0;
    std::uint32_t idle = *reinterpret_cast<volatile std::uint32_t*>(0xFFE80004);
    asm volatile("and x0, x0, %0" : : "r"(idle) : "memory");
}
"""
SCALARS = """
#include <cstdint>
#include <cstring>
#include <string_view>
extern const std::uint32_t __stack_top[];
volatile std::uint32_t* const out = reinterpret_cast<volatile std::uint32_t*>(0x20000);
[[gnu::section(".notes"), gnu::used]] static const char note[] = "seen by the host alone";
[[gnu::noinline]] void copy(char* to, const char* from, unsigned n) { std::memcpy(to, from, n); }
[[gnu::noinline]] void work() {
    volatile float a = 7.0f, b = 3.0f;
    float quotient = a / b;
    std::uint32_t bits;
    std::memcpy(&bits, &quotient, 4);
    out[0] = bits;
    std::uint64_t big = out[1];
    out[2] = std::uint32_t(big * 1000000007u / (out[1] + 1));
    char text[12];
    copy(text, "stand-in", 9);
    out[3] = std::string_view(text).size();
}
"""


MIXED = """
#include <cstdint>
#include <cstring>
#include <sfpi.h>
extern const std::uint32_t __stack_top[];
#define TTI(word) __asm__ __volatile__(".ttinsn %0" : : "n"(word))
volatile std::uint32_t* const out = reinterpret_cast<volatile std::uint32_t*>(0x20000);
static std::uint32_t bits(float x) { std::uint32_t b; std::memcpy(&b, &x, 4); return b; }
static float number(std::uint32_t b) { float x; std::memcpy(&x, &b, 4); return x; }
[[gnu::noinline]] float third(std::uint32_t n) { return float(n) / 3.0f; }
[[gnu::noinline]] void work() {
    TTI(0x8A00300A);  // SFPENCC: flags predicate lanes, and all are enabled
    std::uint32_t n = out[0];
    float x = 1.0f / float(n) - 0.5f;
    volatile float kept = x;
    sfpi::vFloat v = sfpi::dst_reg[0].mode<sfpi::DataLayout::F32>();
    sfpi::dst_reg[0].mode<sfpi::DataLayout::F32>() = v + sfpi::vFloat(kept);
    out[1] = bits(third(n));
    out[2] = std::int32_t(-kept * 100.0f);
    out[3] = (kept < 0.0f) + 2 * (kept > -0.25f) + 4 * !(kept == x) + 8 * (x != x);
    out[4] = bits(__builtin_fabsf(kept) * 3.0f + number(out[4]));
    out[5] = bits(float(double(kept) / 7.0));
    out[6] = std::uint32_t(std::uint64_t(number(out[6]))) + (number(out[6]) >= 1e9f);
    *reinterpret_cast<volatile std::uint32_t*>(0xFFE80004) = 0;
    std::uint32_t idle = *reinterpret_cast<volatile std::uint32_t*>(0xFFE80004);
    asm volatile("and x0, x0, %0" : : "r"(idle) : "memory");
}
"""


CHOICE = """
#include <cstdint>
#include <sfpi.h>
extern const std::uint32_t __stack_top[];
#define TTI(word) __asm__ __volatile__(".ttinsn %0" : : "n"(word))
[[gnu::noinline]] void work() {
    TTI(0x8A00300A);  // SFPENCC: flags predicate lanes, and all are enabled
    const float number = *reinterpret_cast<volatile float*>(0x20000);
    const sfpi::vFloat scale = number;
    if (number >= 0.5f) {
        sfpi::dst_reg[1].mode<sfpi::DataLayout::F32>() = scale + 1.0f;
    } else {
        sfpi::dst_reg[1].mode<sfpi::DataLayout::F32>() = scale * 2.0f;
    }
    *reinterpret_cast<volatile std::uint32_t*>(0xFFE80004) = 0;
    std::uint32_t idle = *reinterpret_cast<volatile std::uint32_t*>(0xFFE80004);
    asm volatile("and x0, x0, %0" : : "r"(idle) : "memory");
}
"""


LIBRARIES = ("lib/picolibc/riscv64-unknown-elf", "include/newlib/c++")


@pytest.fixture(scope="module")
def tools(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return laid_out(tmp_path_factory.mktemp("sfpi"), "zig", SCRIPT)


@pytest.fixture(scope="module")
def gcc(tmp_path_factory: pytest.TempPathFactory) -> Path:
    if not which(GCC) or not all((Path("/usr") / name).is_dir() for name in LIBRARIES):
        pytest.skip("needs Debian's GCC for RISC-V, picolibc and libstdc++'s headers")
    return laid_out(tmp_path_factory.mktemp("gcc"), "gcc", SCRIPT)


def build(tools: Path, source: str, processor: str) -> Path:
    """The ELF of a source that has ``void work()``."""
    out = tools / f"{processor}.elf"
    words = [f"-mcpu=tt-{processor}", *OPTIONS, "-Iinclude", "-Tt.ld", "-x", "c++", "-", "-lc"]
    done = call(tools, "g++", *words, "-o", str(out), text=source + START)
    assert (done.returncode, done.stderr) == (0, "")
    return out


def run(elf: Path, tile: Tile) -> None:
    tile.load_elf(elf, "trisc1")
    tile.write(DONE, bytes(4))
    tile.start("trisc1")
    tile.run(1_000_000, watch={DONE: 0xFF})
    assert tile.read(DONE, 1) == b"\xff"


@pytest.mark.parametrize("chip", CHIPS)
def test_vector_code_runs_bit_right(tools: Path, chip: str) -> None:
    vector_code_runs(tools, chip)


@pytest.mark.parametrize("chip", CHIPS)
def test_vector_code_by_gcc(gcc: Path, chip: str) -> None:
    vector_code_runs(gcc, chip)


def test_the_cores_own_arithmetic_by_gcc(gcc: Path) -> None:
    """Its library; beside vectors it is refused, where Clang leaves it to one."""
    own_arithmetic_has_a_library(gcc)
    words = ["-mcpu=tt-bh-tensix", *OPTIONS, "-Iinclude", "-x", "c++", "-", "-c", "-o", "m.o"]
    done = call(gcc, "g++", *words, text=MIXED + START)
    assert done.returncode == 1
    assert "error: " in done.stderr
    assert "on the core itself" in done.stderr or "float of the core's own" in done.stderr


def dst_word(tile: Tile, chip: str, name: str, row: int) -> int:
    """A load or store between LReg 0 and 32 floats of Dst."""
    no_increment = 3 if chip == "wormhole" else 7
    return tile.state.arch.instructions[name].encode(
        lreg_ind=0, instr_mod0=3, sfpu_addr_mode=no_increment, dest_reg_addr=2 * row
    )


def read_row(tile: Tile, chip: str, row: int) -> np.ndarray:
    """32 floats that a program left in Dst."""
    tile.state.record["lane_flags"] = 0xFFFFFFFF
    tile.execute(tile.state.arch.instructions["SETRWC"].encode(bit_mask=4), thread=1)
    tile.execute(dst_word(tile, chip, "SFPLOAD", row), thread=1)
    return tile.state.record["lreg"][0].view(np.float32).copy()


def vector_code_runs(tools: Path, chip: str) -> None:
    tile = Tile(chip)
    rows = np.linspace(-4, 4, 64, dtype=np.float32).reshape(2, 32)
    for row, values in enumerate(rows):
        tile.state.record["lreg"][0] = values.view(np.uint32)
        tile.execute(dst_word(tile, chip, "SFPSTORE", row), thread=1)
    run(build(tools, VECTORS, f"{CHIPS[chip]}-tensix"), tile)
    for row, values in enumerate(rows):
        expected = np.where(values < 0, 1, np.where(values >= 2, values + values, 0))
        assert np.array_equal(read_row(tile, chip, row), expected.astype(np.float32))


def test_the_cores_own_arithmetic_has_a_library(tools: Path) -> None:
    own_arithmetic_has_a_library(tools)


def own_arithmetic_has_a_library(tools: Path) -> None:
    """Division of floats, 64-bit integers, memcpy: functions that the processor has no word for."""
    tile = Tile("blackhole")
    tile.write(RESULT + 4, (12345).to_bytes(4, "little"))
    elf = build(tools, SCALARS, "bh")
    run(elf, tile)
    out = np.frombuffer(tile.read(RESULT, 16), np.uint32)
    assert out[:1].view(np.float32)[0] == np.float32(7) / np.float32(3)
    assert int(out[2]) == 12345 * 1000000007 // 12346 & 0xFFFFFFFF
    assert int(out[3]) == len("stand-in")


EMPTY = """
#include <cstdint>
#include <debug/debug.h>
extern const std::uint32_t __stack_top[];
struct Place { std::uint32_t x, y; };
template <std::uint32_t N>
using Places = Place[N];
template <std::uint32_t First, std::uint32_t Second>
std::uint32_t filled(Places<First>& first, Places<Second>& second, std::uint32_t from) {
    std::uint32_t sum = 0;
    for (std::uint32_t i = 0; i < First; ++i) first[i] = {from + i, from * i}, sum += first[i].y;
    for (std::uint32_t i = 0; i < Second; ++i) second[i] = {sum, i}, sum += second[i].x;
    return sum;
}
static void work() {
    auto* const out = reinterpret_cast<volatile std::uint32_t*>(0x20000);
    Places<3> three{};
    Places<0> none{};
    Places<2> two{};
    out[0] = filled<3, 0>(three, none, 5);
    out[1] = filled<3, 2>(three, two, 5);
}
"""
"""As the wheel's layer_norm on several cores counts second stages, and conv2d includes headers."""


def test_arrays_of_no_elements_and_the_librarys_own_checks(tools: Path) -> None:
    tile = Tile("blackhole")
    run(build(tools, EMPTY, "bh"), tile)
    assert list(np.frombuffer(tile.read(RESULT, 8), np.uint32)) == [15, 60]


@pytest.mark.parametrize("chip", CHIPS)
def test_numbers_of_the_core_beside_vectors(tools: Path, chip: str) -> None:
    """They are left to the library, in a function with vectors and in one without."""
    elf = build(tools, MIXED, f"{CHIPS[chip]}-tensix")
    tile = Tile(chip)
    given = np.zeros(7, np.uint32)
    given[0] = 3
    given[[4, 6]] = np.array([2.5, 1e9], np.float32).view(np.uint32)
    tile.write(RESULT, given.tobytes())
    run(elf, tile)
    out = np.frombuffer(tile.read(RESULT, 28), np.uint32)
    floats = out.view(np.float32)
    x = np.float32(1) / np.float32(3) - np.float32(0.5)
    assert floats[1] == np.float32(1)
    assert list(out[[2, 3]]) == [16, 3]
    assert floats[4] == -x * np.float32(3) + np.float32(2.5)
    assert floats[5] == np.float32(np.float64(x) / 7)
    assert out[6] == 1_000_000_001


@pytest.mark.parametrize(("number", "expected"), [(0.25, 0.5), (0.75, 1.75)])
@pytest.mark.parametrize("chip", CHIPS)
def test_a_vector_outlasts_the_cores_own_comparison(
    tools: Path, chip: str, number: float, expected: float
) -> None:
    """As in the wheel's power: the library that compares touches no LReg."""
    tile = Tile(chip)
    tile.write(RESULT, np.float32(number).tobytes())
    run(build(tools, CHOICE, f"{CHIPS[chip]}-tensix"), tile)
    assert read_row(tile, chip, 1).tolist() == [expected] * 32


def test_tools_beside_the_compiler(tools: Path) -> None:
    elf = build(tools, SCALARS, "bh")
    sizes = call(tools, "size", str(elf)).stdout.splitlines()
    assert sizes[0].split()[:3] == ["text", "data", "bss"]
    loaded = [s for s in read_object(elf).sections if s.flags & 2]
    assert int(sizes[1].split()[3]) == sum(s.size for s in loaded)
    assert " T _start\n" in call(tools, "nm", str(elf)).stdout
    call(tools, "objcopy", "-O", "binary", "-j", ".notes", str(elf), str(tools / "notes"))
    assert (tools / "notes").read_bytes() == b"seen by the host alone\0"
    failed = call(tools, "objcopy", "-O", "elf32", str(elf), "x")
    assert (failed.returncode, failed.stdout) == (1, "")
    assert failed.stderr.startswith("objcopy: usage:")


def test_objects_dependencies_and_answers(tools: Path) -> None:
    (tools / "one.h").write_text("inline int one() { return 1; }\n")
    (tools / "one.cc").write_text('#include "one.h"\nint two() { return one() + 1; }\n')
    words = ["-mcpu=tt-wh", "-Os", "-flto=1", "--param=min-pagesize=0", "-MMD", "-c", "one.cc"]
    done = call(tools, "g++", *words, "-o", "one.o")
    assert (done.returncode, done.stderr) == (0, "")
    rule = (tools / "one.d").read_text()
    assert rule.startswith("one.o: one.cc")
    assert "one.h" in rule
    assert "_Z3twov" in {symbol.name for symbol in symbols(read_object(tools / "one.o"))}
    assert call(tools, "g++", "--version").stdout.startswith("riscv-tt-elf-g++ (tilelab ")


def test_too_many_values_name_the_line(tools: Path) -> None:
    lines = [f"sfpi::vFloat x{i} = sfpi::dst_reg[{i}];" for i in range(10)]
    lines += [f"sfpi::dst_reg[{i}] = 0.0f;" for i in range(10)]
    lines += [f"sfpi::dst_reg[{i}] = x{i} + x{9 - i};" for i in range(10)]
    text = "\n".join(['#include "sfpi.h"', "void work() {", *lines, "}"])
    (tools / "many.h").write_text(text)
    words = ["-mcpu=tt-bh-tensix", "-O2", "-g", "-c", "-x", "c++", "-", "-o", "many.o"]
    done = call(tools, "g++", *words, text='#include "many.h"\n')
    assert done.returncode == 1
    assert done.stderr.startswith("riscv-tt-elf-g++: error: ")
    assert "many.h:1" in done.stderr
    assert "and there are 8 LRegs" in done.stderr


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ("-mcpu=tt-qsr32 -c a.cc", "-mcpu=tt-qsr32: not one of tt-bh, tt-bh-tensix, tt-wh"),
        ("-mcpu=tt-bh --frobnicate", "--frobnicate: this option is not understood"),
        ("-mcpu=tt-bh -o", "-o: nothing follows"),
        ("@options", "@options: files of options are not read"),
    ],
)
def test_options_that_are_not_understood(words: str, complaint: str) -> None:
    with pytest.raises(BadInputError) as error:
        read_command(words.split())
    assert str(error.value).startswith(complaint)


def test_missing_processor_input_and_file(tools: Path) -> None:
    for words, complaint in (
        (["-mcpu=tt-bh"], "no input files"),
        (["-c", "-x", "c++", "-"], "-mcpu=tt-… is missing"),
        (["-mcpu=tt-bh", "nothing.o"], "nothing.o: No such file or directory"),
    ):
        done = call(tools, "g++", *words)
        assert (done.returncode, done.stdout) == (1, "")
        assert done.stderr.startswith(f"riscv-tt-elf-g++: error: {complaint}")
