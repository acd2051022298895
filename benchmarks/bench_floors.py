"""What the benchmarks' loops would cost if they were compiled with their words as constants.

Sixteen Tensix words in one function: each word's prologue, checks and kernel, no clock, no counts,
no way through the frontend. RISC-V loops as blocks, one pass after the other: registers in memory,
the code compared before each pass, each access checked. Beside a row of ``tilelab bench`` this is
the least that any way of compiling programs leaves. ``python benchmarks/bench_floors.py [NAME…]``
"""

import mmap
import sys
import time
from collections.abc import Callable

from tilelab.bench.backends import Driver, TileHost
from tilelab.bench.work import CHIP, OUT, REPLAY_SLOTS, THREAD, Work, catalogue
from tilelab.kernelpy.build import Library, emit
from tilelab.kernelpy.module import Module
from tilelab.sim.kernel import OK, WORD, kernel
from tilelab.tensix.arch import arch
from tilelab.tensix.backend import SEMANTICS
from tilelab.tensix.backend.semantics import prologue
from tilelab.tensix.run.execute import UNDEFINED_BITS
from tilelab.tensix.run.speed.fast import machine, prepared
from tilelab.tensix.run.speed.generate import issue
from tilelab.tensix.run.speed.source_text import Source
from tilelab.tensix.state.records import State
from tilelab.tensix.tile.tile import Tile

CALLS, RUNS = 2000, 60
ROUNDS = 180_000
CODE = 0x400 // 4
PAGES = 7_200
"""That a whole Blackhole touches while it is opened and adds twice."""
TOUCHED = "a page touched"


@kernel
def registers_of(s: State, core: int, rounds: int) -> int:
    """The body of "RISC-V 1 core", which nobody but its core can notice."""
    x = s.riscv[core].x
    for _ in range(rounds // 18):
        for i in range(18):
            if s.l1_32[CODE + i] != s.code_word[CODE + i]:
                return 1
        for _again in range(4):
            x[6] = (x[6] + 1) & WORD
            x[7] = (x[7] + 3) & WORD
            x[5] = x[6] ^ x[7]
            x[6] = (x[5] + 1) & WORD
        x[28] = (x[28] - 1) & WORD
        s.riscv[core].retired += 18
    return OK


@kernel
def registers(s: State, rounds: int) -> int:
    """A core alone."""
    s.clock += rounds
    return registers_of(s, 0, rounds)


@kernel
def registers_in_turn(s: State, rounds: int) -> int:
    """Four cores, 18 rounds of one and then of the next: "RISC-V 4 cores"."""
    for _ in range(rounds // 18):
        for core in range(4):
            if registers_of(s, core, 18):
                return 1
        s.clock += 18
    return OK


@kernel
def loads(s: State, rounds: int) -> int:
    """Four cores in turn that add, then load: "RISC-V loads 4 cores"."""
    for _ in range(rounds // 2):
        for core in range(4):
            x = s.riscv[core].x
            x[7] = (x[7] + 1) & WORD
            if x[6] & 3 or x[6] >= s.arch.l1_size:
                return 1
            x[7] = s.l1_32[x[6] >> 2]
            s.riscv[core].pc += 8
            s.riscv[core].retired += 2
        s.clock += 2
    return OK


@kernel
def stores(s: State, rounds: int) -> int:
    """Four cores in turn that add, then store: "RISC-V stores 4 cores"."""
    for _ in range(rounds // 2):
        for core in range(4):
            s.riscv[core].x[7] = (s.riscv[core].x[7] + 1) & WORD
            s.riscv[core].pc += 4
            s.riscv[core].retired += 1
        for core in range(4):
            address = s.riscv[core].x[6]
            if address & 3 or address >= s.arch.l1_size:
                return 1
            if s.l1_32[address >> 2] != s.riscv[core].x[7]:
                s.l1_32[address >> 2] = s.riscv[core].x[7]
                if s.engine.watch_first <= address >> 2 <= s.engine.watch_last:
                    return 1
                s.l1_effects += 1
            s.riscv[core].pc += 4
            s.riscv[core].retired += 1
        s.clock += 2
    return OK


def least(call: Callable[[], int]) -> float:
    """Seconds of processor time of the quickest of many calls."""
    found = []
    for _ in range(RUNS):
        start = time.process_time()
        assert call() == OK
        found.append(time.process_time() - start)
    return min(found)


def body(work: Work) -> float:
    """Nanoseconds of a unit of a benchmark whose words are compiled as constants."""
    chip = arch(CHIP)
    made = prepared(chip, machine(chip), apart=False)
    source = Source()
    source.names["UNDEFINED_BITS"] = UNDEFINED_BITS
    for number, word in enumerate(work.words):
        row = chip.instructions.find(word)
        assert row is not None
        handler = SEMANTICS[CHIP][row.name]
        lines = (f"    {line}" for line in issue(source, row, handler))
        source.add("@kernel", f"def one{number}(s, t):", f"    word = {word}", *lines, "", "")
        made.attributes[handler] = "alwaysinline"
        if begin := prologue(row):
            made.attributes[begin] = "alwaysinline"
    source.add("@kernel", "def body(s, t, times):", "    for _ in range(times):")
    for number in range(len(work.words)):
        source.add(f"        code = one{number}(s, t)", "        if code != OK:")
        source.add("            return code")
    source.add("    return OK")
    names = source.compile(f"<floor of {work.name}>")
    made.attributes |= {names[f"one{i}"]: "alwaysinline" for i in range(len(work.words))}
    made.add(names["body"], "body")
    tile = Tile(CHIP)
    Driver(TileHost(tile), work).run(1)
    library = Library(*map(emit, made.units.values()))
    call = library.function("body", 3)
    calls = CALLS * REPLAY_SLOTS // len(work.words)
    seconds = least(lambda: call(tile.engine.address, THREAD, calls))
    return 1e9 * seconds * work.per_unit / (calls * len(work.words))


def block(function: Callable[..., int], cores: int) -> float:
    """Nanoseconds of an instruction of cores whose loop is a compiled block."""
    made = Module(machine(arch(CHIP)), "block")
    made.add(function, "block")
    library = Library(*map(emit, made.units.values()))
    call = library.function("block", 2)
    tile = Tile(CHIP)
    tile.state.s.engine.watch_first = 1
    for core in range(cores):
        tile.state.s.riscv[core].x[6] = OUT
    return 1e9 * least(lambda: call(tile.engine.address, ROUNDS)) / (ROUNDS * cores)


def touched() -> float:
    """Nanoseconds of a page of 4 KiB that is written for the first time, less a second write."""
    found = []
    for _ in range(RUNS // 10):
        with mmap.mmap(-1, PAGES * mmap.PAGESIZE, flags=mmap.MAP_PRIVATE) as memory:
            memory.madvise(mmap.MADV_NOHUGEPAGE)  # tiles lie apart
            spent = []
            for _again in range(2):
                start = time.process_time()
                for at in range(0, len(memory), mmap.PAGESIZE):
                    memory[at] = 1
                spent.append(time.process_time() - start)
            found.append(spent[0] - spent[1])
    return 1e9 * min(found) / PAGES


def main() -> None:
    """Print a line for each."""
    chosen = sys.argv[1:]
    for work in catalogue().values():
        if work.words and (not chosen or work.name in chosen):
            print(f"{work.name:24}{body(work):10.2f} ns", flush=True)
    if not chosen or TOUCHED in chosen:
        print(f"{TOUCHED:24}{touched():10.2f} ns", flush=True)
    for name, function, cores in (
        ("RISC-V 1 core", registers, 1),
        ("RISC-V 4 cores", registers_in_turn, 4),
        ("RISC-V loads 4 cores", loads, 4),
        ("RISC-V stores 4 cores", stores, 4),
    ):
        if not chosen or name in chosen:
            print(f"{name:24}{block(function, cores):10.2f} ns", flush=True)


if __name__ == "__main__":
    main()
