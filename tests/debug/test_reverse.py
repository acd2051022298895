"""So many steps forward and as many back: at random points of random programs, and of kernels.

``TILELAB_REVERSE_POINTS`` is how many points of random programs there are for each clock; 10,000
take minutes. The vendor's kernels are there where ``TILELAB_LLK_ELFS`` names a folder of them.
"""

import os
import random
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pytest

import riscv_program as risc
from llk_kernels import VECTORS, elfs_of, index
from moments import COUNTERS, Moment
from tilelab.debug import Debugger, Why, changed
from tilelab.kernels.kernel_toml.file import read_kernel_file
from tilelab.kernels.run import load
from tilelab.riscv.table import RV32
from tilelab.tensix import Tile
from tilelab.tensix.tile.tile import CLOCKS
from tilelab.tensix.words.assembly import assemble
from tilelab.vendor.llk import harness

POINTS = int(os.environ.get("TILELAB_REVERSE_POINTS", "300"))
POINTS_OF_A_PROGRAM = 25
POINTS_OF_A_KERNEL = max(5, POINTS // 100)
LONGEST_STEP = 60
ROUNDS = 3000
EXAMPLES = Path(__file__).parents[2] / "examples"
KERNELS = 20
DATA = 0x20000
WORDS = (
    *("ttnop", "ttdmanop", "sfpnop", "ttsetrwc 0,0,3,2,1,0xf", "ttincrwc 0,1,2,3"),
    *("ttsetadcxx 4,10,0", "ttsetdmareg 0,77,0,40", "ttadddmareg 0,3,2,1"),
    *("ttreplay 0,3,0,1", "ttreplay 0,3,0,0", "ttmop 1,2,0", "ttmop 0,3,0", "ttatgetm 0"),
    *("ttatrelm 0", "ttseminit 3,1,2", "ttsempost 2", "ttsemget 2", "ttstallwait 0x40,0x1"),
    *("sfploadi L1,0x3f80,0", "sfpstore L2,4,0,0", "sfpload L3,0,0,0"),
)
"""Some have a thread wait or fail now and then; what came before is gone back to all the same."""


def arithmetic(rng: random.Random) -> int:
    """A register instruction, of x8 to x15."""
    name = rng.choice(("add", "sll", "xor", "or", "and", "sub"))
    return RV32.word(name, *(rng.randrange(8, 16) for _ in range(3)))


def program(rng: random.Random, words: list[int]) -> list[int]:
    """A loop, run some times, of arithmetic, loads, stores and pushes; x5 to x7 are its own."""
    body = [*risc.li(risc.T0, DATA + 0x100 * rng.randrange(4))]
    for _ in range(rng.randrange(5, 40)):
        kind = rng.randrange(5)
        if kind == 0:
            body.append(risc.lw(rng.randrange(8, 16), risc.T0, 4 * rng.randrange(64)))
        elif kind == 1:
            body.append(risc.sw(rng.randrange(8, 16), risc.T0, 4 * rng.randrange(64)))
        elif kind == 2:
            word = rng.choice(words)
            body.append((word << 2 | word >> 30) & 0xFFFFFFFF)
        elif kind == 3:
            body.append(risc.addi(rng.randrange(8, 16), rng.randrange(8, 16), rng.randrange(2048)))
        else:
            body.append(arithmetic(rng))
    times = rng.randrange(1, 60)
    end = [risc.addi(risc.T2, risc.T2, -1), risc.bne(risc.T2, risc.ZERO, -len(body) - 1)]
    return [*risc.li(risc.T2, times), *body, *end]


def random_tile(seed: int, clock: str) -> Tile:
    """A tile on which up to four cores are about to run random programs."""
    rng = random.Random(seed)
    tile = Tile(rng.choice(("blackhole", "wormhole")), clock=clock)
    clear = "ttzeroacc 3,0,0,1,0" if tile.arch.name == "blackhole" else "ttzeroacc 3,0,0"
    assembly = "\n".join([clear, *WORDS])
    words = assemble(assembly, tile.arch.name).words(1)
    for t in range(3):
        for at in range(9):
            tile.write_mop_cfg(at, rng.choice(words[:9]) if at > 1 else 2, t)
    cores = rng.sample(range(4), rng.randrange(1, 5))
    risc.start(tile, {core: program(rng, words) for core in cores})
    return tile


def check_points(made: Debugger, end: int, rng: random.Random, points: int) -> int:
    """Step forward and back at so many random moments, if that many can be found; how many."""
    moved = 0
    for _ in range(10 * points):
        what = changed(made.place(rng.choice(COUNTERS)))
        steps = rng.randrange(1, LONGEST_STEP)
        made.go_to(rng.randrange(end + 1))
        if made.step(what).why is not Why.STOP:
            continue
        here = Moment(made)
        if made.step(what, steps).why is not Why.STOP:
            made.go_to(here.clock)  # the program ends before: back by clock
        else:
            made.step(what, -steps)
        here.check()
        moved += 1
        if moved == points:
            break
    return moved


@pytest.mark.parametrize("clock", CLOCKS)
def test_points_of_random_programs(clock: str) -> None:
    reached = programs = 0
    while reached < POINTS:
        rng = random.Random(programs)
        made = Debugger(random_tile(programs, clock))
        made.spacing = rng.choice((7, 50, 400))
        made.forward((), ROUNDS)
        programs += 1
        wanted = min(POINTS_OF_A_PROGRAM, POINTS - reached)
        reached += check_points(made, made.clock, rng, wanted)
        assert programs < POINTS + 100, "random programs hardly run"
    print(f"{clock}: {reached} points of {programs} programs found again")


def example(name: str, clock: str) -> Debugger:
    kernel = read_kernel_file(EXAMPLES / name / "kernel.toml")
    tile = Tile(kernel.arch, clock=clock)
    load(tile, kernel)
    return Debugger(tile, dict.fromkeys(kernel.done.mailboxes.values(), kernel.done.value))


def vendor_kernels() -> Iterator[str]:
    """Some of the vendor's kernels, of as many test functions as there can be."""
    functions: dict[str, str] = {}
    for entry in index():
        functions.setdefault(entry["slug"].rsplit(".", 1)[0], entry["slug"])
    chosen = sorted(functions.values())
    yield from islice(chosen[:: max(1, len(chosen) // KERNELS)], KERNELS)


def vendor_kernel(slug: str, clock: str) -> Debugger:
    """One of the vendor's kernels, about to be started."""
    elfs = elfs_of(slug)
    tile = Tile("blackhole", clock=clock)
    backend = harness.TileBackend(tile)
    harness.write_inputs(backend, VECTORS / slug)
    harness.start(backend, elfs)
    mailboxes = range(harness.MAILBOXES, harness.MAILBOXES + 12, 4)
    return Debugger(tile, dict.fromkeys(mailboxes, harness.KERNEL_COMPLETE))


@pytest.mark.parametrize("clock", CLOCKS)
@pytest.mark.parametrize("name", ["datacopy", "eltwise_add", "matmul", *vendor_kernels()])
def test_points_of_kernels(name: str, clock: str) -> None:
    made = vendor_kernel(name, clock) if "." in name else example(name, clock)
    begin = made.clock
    made.spacing = 200
    assert made.forward().why is Why.DONE
    end = made.clock
    rng = random.Random(name)
    reached = check_points(made, end, rng, POINTS_OF_A_KERNEL)
    assert reached == POINTS_OF_A_KERNEL
    made.go_to(begin)
    assert (made.forward().why, made.clock) == (Why.DONE, end)
    print(f"{name}, {clock}: {reached} points of {end - begin} found again")
