"""Compiles functions in the vector unit's C++, and runs them on a tile's TRISC1."""

import shutil
import tempfile
from functools import lru_cache, partial
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from tilelab.build.compilers import GCC, find_compiler
from tilelab.build.headers import INCLUDE
from tilelab.build.vector import complete
from tilelab.sim.errors import BadInputError
from tilelab.tensix import Tile

CHIPS = ("blackhole", "wormhole")
COMPILERS = ("zig", "gcc")
LANES = 32
WORD, FP32, INT32 = 4, 3, 4
DONE, CODE, DATA = 0x1FFBC, 0xA000, 0x13000

START = """
#include <sfpi.h>
using namespace sfpi;
void program();
#define TENSIX(word) asm volatile(".word %0" : : "i"((word) << 2 | (word) >> 30))
extern "C" [[noreturn, gnu::used]] void start() {
    TENSIX(0x8A00300Au);  // SFPENCC: flags predicate lanes, and all are enabled
    TENSIX(0x910000B1u);  // SFPCONFIG: LReg[11] = -1
    program();
    *reinterpret_cast<volatile uint32_t*>(0xFFE80004) = 0;
    uint32_t idle = *reinterpret_cast<volatile uint32_t*>(0xFFE80004);
    asm volatile("and x0, x0, %0" : : "r"(idle) : "memory");
    *reinterpret_cast<volatile uint32_t*>(DONE) = 0xFF;
    for (;;) {}
}
asm(R"(
    .section .init, "ax", @progbits
    .globl _start
    .option norelax
_start:
    la sp, __stack_top
    j start
    .text
)");
"""
FIRST_LINE = START.count("\n") + 1

Vectors = npt.NDArray[np.uint32]


def needs(compiler: str) -> None:
    if compiler == "gcc" and not shutil.which(GCC):
        pytest.skip(f"needs {GCC}")


@lru_cache
def compiled(source: str, chip: str, compiler: str) -> bytes:
    """The ELF of a source that has ``void program()``; BadInputError as the build raises it."""
    needs(compiler)
    tool = find_compiler(compiler)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        do = partial(tool.run, folder=folder, scratch=folder)
        path, assembly, out = folder / "p.cpp", folder / "p.s", folder / "p.elf"
        path.write_text(START + source)
        options = [f"-DARCH_{chip.upper()}", f"-DDONE={DONE}u", f"-isystem{INCLUDE}", "p.cpp"]
        run = do([*tool.compiling(chip, True), *options, "-S", "-o", str(assembly)])
        assert run.code == 0, run.messages
        assembly.write_text(complete(assembly.read_text(encoding="latin-1"), chip, Path("p.cpp")))
        run = do([*tool.assembling(chip), str(assembly), "-o", str(folder / "p.o")])
        assert run.code == 0, run.messages
        places = {"__code_start": CODE, "__code_size": 0x4000, "__text_start": CODE}
        places |= {"__data_image": DATA, "__private_size": 2048}
        linking = tool.linking(chip, INCLUDE / "tilelab" / "core.ld", places)
        run = do([*linking, str(folder / "p.o"), "-o", str(out)])
        assert run.code == 0, run.messages
        return out.read_bytes()


def complaint(source: str, chip: str = "blackhole", compiler: str = "zig") -> BadInputError:
    """What is wrong with a source."""
    with pytest.raises(BadInputError) as error:
        compiled.__wrapped__(source, chip, compiler)
    return error.value


def run(source: str, inputs: Vectors, chip: str, compiler: str, rows: int | None = None) -> Vectors:
    """Dst rows 0… after the program, 32 lanes of 32 bits each, when they held ``inputs`` before."""
    tile = Tile(chip)
    instructions = tile.state.arch.instructions
    no_increment = 3 if chip == "wormhole" else 7

    def word(name: str, row: int) -> int:
        return instructions[name].encode(
            lreg_ind=0, instr_mod0=WORD, sfpu_addr_mode=no_increment, dest_reg_addr=2 * row
        )

    lreg = tile.state.record["lreg"]
    for row, values in enumerate(np.asarray(inputs, np.uint32)):
        lreg[0] = values
        tile.execute(word("SFPSTORE", row), thread=1)
    with tempfile.NamedTemporaryFile(suffix=".elf") as file:
        file.write(compiled(source, chip, compiler))
        file.flush()
        tile.load_elf(Path(file.name), "trisc1")
    tile.write(DONE, bytes(4))
    tile.start("trisc1")
    tile.run(2_000_000, watch={DONE: 0xFF})
    assert tile.read(DONE, 1) == b"\xff"
    results = []
    tile.state.record["lane_flags"] = 0xFFFFFFFF
    tile.execute(instructions["SETRWC"].encode(bit_mask=4), thread=1)  # Dst's counter = 0
    for row in range(len(inputs) if rows is None else rows):
        tile.execute(word("SFPLOAD", row), thread=1)
        results.append(lreg[0].copy())
    return np.array(results, np.uint32)


def floats(x: npt.ArrayLike) -> Vectors:
    return np.asarray(x, np.float32).view(np.uint32)
