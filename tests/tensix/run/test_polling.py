"""Cores that poll are left alone, and nobody can tell: all is as if every core were stepped."""

import random
from collections import Counter

import pytest
from test_batches import restart

from engine_pair import CHIPS
from riscv_program import (
    BRISC,
    RESET_BITS,
    RESET_PC,
    T0,
    T1,
    T2,
    addi,
    bne,
    li,
    load,
    lw,
    push,
    store,
    sw,
)
from tilelab.riscv.table import RV32
from tilelab.riscv.words import jump_back
from tilelab.sim.checks import CHECKS
from tilelab.tensix.arch import arch
from tilelab.tensix.run import rounds
from tilelab.tensix.state import ALL_CORES_IN_RESET, CORES, HEADER_BYTES
from tilelab.tensix.state.engine_notes import LOOP_SLOTS, POLLED_SLOTS
from tilelab.tensix.tables.noc_registers import STREAM_BYTES
from tilelab.tensix.tables.tile_registers import (
    DEBUG_REGISTERS,
    LOCAL_RAM,
    NOC,
    SOFT_RESET_0,
    STREAMS,
    WALL_CLOCK_L,
)
from tilelab.tensix.tile.tile import Tile

NOP = addi(0, 0, 0)
FENCE = 0x0000000F
FLAGS, RESULTS = 0x2000, 0x3000
CASES = 90
T3 = 28
T4 = 29
CLOCK = DEBUG_REGISTERS + WALL_CLOCK_L
LEFT_ALONE = ("until", "since", "told", "signed", "kept", "both")
CLOCK_WAITS = (*LEFT_ALONE, "the other way round", "counts")


def branch(kind: str, rs1: int, rs2: int) -> int:
    return RV32.word(kind, rs1, rs2, 0)


def again(word: int, length: int) -> int:
    """The branch at the end of a loop, to its beginning."""
    return bne(word >> 15 & 31, word >> 20 & 31, 1 - length) & ~(7 << 12) | word & 7 << 12


def compute(kind: str, rd: int, rs1: int, rs2: int) -> int:
    return RV32.word(kind, rd, rs1, rs2)


def clock_wait(how: str, rounds: int) -> tuple[list[int], list[int]]:
    """What begins a wait by the clock, and its loop, whose last word is a branch to its start."""
    begin = [*li(T0, CLOCK), lw(T1, T0)]
    until = [*begin, addi(T1, T1, rounds)]
    look = lw(T2, T0)
    return {
        "until": (until, [look, branch("bltu", T2, T1)]),
        "since": (
            [*begin, addi(T4, 0, rounds)],
            [look, compute("sub", T2, T2, T1), branch("bltu", T2, T4)],
        ),
        "told": (until, [look, compute("sltu", T2, T2, T1), NOP, branch("bne", T2, 0)]),
        "signed": (until, [look, addi(T2, T2, -5), branch("blt", T2, T1)]),
        "the other way round": (until, [look, compute("sub", T3, T1, T2), branch("blt", 0, T3)]),
        "kept": (until, [look, addi(T4, T2, 0), branch("bltu", T4, T1)]),
        "both": (until, [look, lw(T4, T0), compute("sub", T3, T4, T2), branch("bltu", T4, T1)]),
        "counts": ([*until, addi(T4, 0, 0)], [look, addi(T4, T4, 1), branch("bltu", T2, T1)]),
    }[how]


class Pollers:
    """Random programs for cores that wait for each other."""

    def __init__(self, chip: str, seed: int) -> None:
        self.choose = random.Random(f"{chip} {seed}")
        self.stream = STREAMS + arch(chip).noc.stream_start

    def flag(self) -> int:
        """A word of L1, or at times a stream's register."""
        if self.choose.random() < 0.2:
            return self.stream + STREAM_BYTES * self.choose.randrange(2)
        return FLAGS + 4 * self.choose.randrange(4)

    def padding(self) -> list[int]:
        """What a loop may do beside: nothing, look elsewhere, or store what is there already."""
        choose = self.choose
        own = LOCAL_RAM + 4 * choose.randrange(8)
        return choose.choice(
            [
                [],
                [NOP] * choose.randrange(6),
                [FENCE],
                load(T3, self.flag()),
                load(T3, own),
                store(own, 7),
                store(self.flag(), 1),
                [NOP] * (LOOP_SLOTS + 3),
            ]
        )

    def poll(self) -> list[int]:
        """Wait until a flag has a value; it may be read as part of a word."""
        flag = self.flag()
        narrow = [1 << 12, 0] if flag < STREAMS else []
        width = self.choose.choice([2 << 12, 2 << 12, *narrow])
        body = [*self.padding(), *li(T0, flag), lw(T2, T0) & ~(7 << 12) | width]
        body += [*self.padding(), *li(T1, self.choose.randrange(3))]
        return [*body, bne(T2, T1, -len(body))]

    def clock_wait(self) -> list[int]:
        """Wait until the clock has gone on, in one of the ways that programs have for it."""
        choose = self.choose
        begin, loop = clock_wait(choose.choice(CLOCK_WAITS), choose.randrange(1, 400))
        high = choose.choice([[], [lw(T3, T0, 4)], [lw(T3, T0, 8)]])
        loop = [*[NOP] * choose.randrange(3), loop[0], *high, *loop[1:]]
        loop[-1] = again(loop[-1], len(loop))
        kept = li(T0, RESULTS + 32 + 4 * choose.randrange(8))
        return [*begin, *loop, *kept, sw(T2, T0), sw(T3, T0, 32)]

    def action(self) -> list[int]:
        choose = self.choose
        result = RESULTS + 4 * choose.randrange(8)
        code = RESET_PC[choose.randrange(CORES)] + 4 * choose.randrange(60)
        actions = [
            self.poll(),
            self.poll(),
            self.clock_wait(),
            store(self.flag(), choose.randrange(3)),
            store(self.flag(), choose.randrange(3)),
            [*load(T2, CLOCK), *li(T0, result), sw(T2, T0)],
            [*li(T2, choose.randrange(1, 200)), addi(T2, T2, -1), bne(T2, 0, -1)],
        ]
        if choose.random() < 0.05:
            actions += [store(code, NOP)] * 4
        if choose.random() < 0.05:
            actions.append(store(DEBUG_REGISTERS + SOFT_RESET_0, 1 << choose.choice(RESET_BITS)))
        return choose.choice(actions)

    def program(self) -> bytes:
        words = [w for _ in range(self.choose.randrange(2, 12)) for w in self.action()]
        return b"".join(word.to_bytes(4, "little") for word in [*words, jump_back(len(words))])


def begin(tile: Tile, fresh: Tile, chip: str, seed: int, finds: bool) -> random.Random:
    made = Pollers(chip, seed)
    state = tile.state
    state.memory[HEADER_BYTES:] = fresh.state.memory[HEADER_BYTES:]
    state.l1[:] = 0
    state.record["noc"]["connected"] = 1  # a lone tile has no NCRISC
    state.engine["find_polls"] = finds
    if chip == "wormhole":
        state.config[:, tile.arch.reset_pc_config :][:, :3] = RESET_PC[:3]
        state.config[:, tile.arch.reset_pc_config + 3] = 7
    if made.choose.random() < 0.3:  # soon the high half of the clock changes
        state.clock = (1 << 32) - made.choose.randrange(1500)
    for core in range(CORES):
        tile.write(RESET_PC[core], made.program())
    cores = made.choose.sample(range(CORES), made.choose.randrange(1, CORES + 1))
    released = sum(1 << RESET_BITS[core] for core in cores)
    tile.reg_write(DEBUG_REGISTERS + SOFT_RESET_0, ALL_CORES_IN_RESET & ~released)
    return made.choose


def same(pair: tuple[Tile, Tile], what: str) -> None:
    left, stepped = (tile.state for tile in pair)
    assert not left.diff(stepped.record), f"{what}: {left.diff(stepped.record)[:6]}"
    assert (left.l1 == stepped.l1).all(), what
    assert (left.engine["core_wait"] == stepped.engine["core_wait"]).all(), what


def run_beside(pair: tuple[Tile, Tile], length: int) -> int:
    """Run one tile, and step the other as far; what the first ended with."""
    left, stepped = pair
    code = left.engine.rounds(length)
    end = int(left.state.s.clock)
    if code > 0:
        assert run_to(stepped, end + 1) == code
    else:
        assert run_to(stepped, end) in (rounds.OK, rounds.STOP_STUCK, rounds.STOP_CONDITION)
    return code


def run_to(tile: Tile, clock: int) -> int:
    """Run a tile to a clock, also beyond where it notices that it is stuck."""
    code = rounds.OK
    while int(tile.state.s.clock) < clock and code <= rounds.OK:
        code = tile.engine.rounds(clock - int(tile.state.s.clock))
        if code not in (rounds.OK, rounds.STOP_STUCK):
            break
    return code


@pytest.mark.parametrize("engine", ["reference", "fast"])
@pytest.mark.parametrize("chip", CHIPS)
def test_cores_that_wait_for_each_other(chip: str, engine: str) -> None:
    pair = Tile(chip, engine=engine), Tile(chip, engine=engine)
    fresh = Tile(chip, engine="reference")
    codes: Counter[int] = Counter()
    skipped = 0
    for seed in range(CASES if engine == "fast" else CASES // 6):
        choose = begin(pair[0], fresh, chip, seed, finds=True)
        begin(pair[1], fresh, chip, seed, finds=False)
        for part in range(choose.randrange(2, 9)):
            length = choose.choice([1, 3, 40, 300, 700, 3000])
            code = run_beside(pair, length)
            what = f"{chip} case {seed}, part {part} of {length}: {code}"
            assert code in (rounds.OK, rounds.STOP_STUCK) or code in CHECKS, what
            same(pair, what)
            codes[min(code, 1)] += 1
            skipped += sum(int(length) > 0 for length in pair[0].state.poll["length"])
            if code > 0:
                break
            if choose.random() < 0.5:  # the host writes to where cores look
                flag, value = FLAGS + 4 * choose.randrange(4), choose.randrange(3)
                for tile in pair:
                    tile.write(flag, value.to_bytes(4, "little"))
    assert codes[rounds.OK] > 10, codes
    assert codes[rounds.STOP_STUCK] > 0, codes
    assert skipped > 20


@pytest.mark.parametrize("chip", CHIPS)
def test_cores_with_work_for_the_threads(chip: str) -> None:
    """The programs of ``test_batches``: words in flight, mailboxes, semaphores, conditions."""
    pair = Tile(chip, engine="fast"), Tile(chip, engine="fast")
    fresh = Tile(chip, engine="reference").state
    compared = 0
    for seed in range(CASES):
        _, choose = (restart(tile, fresh, chip, seed) for tile in pair)
        for tile, finds in zip(pair, (1, 0), strict=True):
            tile.state.engine["find_polls"] = finds
        length = choose.choice([7, 40, 300, 2000])
        if run_beside(pair, length) > 0:
            continue
        same(pair, f"{chip} case {seed}, {length}")
        compared += 1
    assert compared > CASES / 2


@pytest.mark.parametrize("engine", ["reference", "fast"])
@pytest.mark.parametrize("chip", CHIPS)
def test_what_cannot_be_a_loop_of_polling(chip: str, engine: str) -> None:
    """Loops too long, with too many words, with a clock, or that count are stepped."""
    many = [w for i in range(POLLED_SLOTS + 1) for w in (lw(T2, T0, 4 * i),)]
    loops = {
        "polls": ([lw(T2, T0)], True),
        "too long": ([NOP] * LOOP_SLOTS, False),
        "just short enough": ([NOP] * (LOOP_SLOTS - 1), True),
        "too many words": (many, False),
        "as many as may be": (many[:-1], True),
        "a stream": (load(T2, STREAMS + arch(chip).noc.stream_start), True),
        "a NoC counter": (load(T2, NOC + 0x200), True),
        "a register": (load(T2, DEBUG_REGISTERS + SOFT_RESET_0), False),
        "a clock": (load(T2, CLOCK), False),
        "counts": ([addi(T2, T2, 1)], False),
        "stores what is there": ([sw(0, T0)], True),
        "half a word beside": ([lw(T2, T0, 2) & ~(7 << 12) | 1 << 12], True),
    }
    for name, (body, found) in loops.items():
        tile = Tile(chip, engine=engine)
        tile.state.engine["find_polls"] = 1
        tile.state.record["noc"]["connected"] = 1
        words = [*li(T0, FLAGS), *body, jump_back(len(body))]
        tile.write(0, b"".join(word.to_bytes(4, "little") for word in words))
        tile.reg_write(DEBUG_REGISTERS + SOFT_RESET_0, ALL_CORES_IN_RESET & ~(1 << 11))
        code = tile.engine.rounds(200)
        assert (code == rounds.STOP_STUCK) == found, name


@pytest.mark.parametrize("engine", ["reference", "fast"])
def test_waits_by_the_clock(engine: str) -> None:
    """They are left alone where nothing but comparisons says how far the clock is."""
    for how in CLOCK_WAITS:
        for waits in (300, 2000):
            tile = Tile("blackhole", engine=engine)
            tile.state.engine["find_polls"] = 1
            begin, loop = clock_wait(how, waits)
            loop[-1] = again(loop[-1], len(loop))
            words = [*begin, *loop, jump_back(0)]
            tile.write(0, b"".join(word.to_bytes(4, "little") for word in words))
            tile.reg_write(DEBUG_REGISTERS + SOFT_RESET_0, ALL_CORES_IN_RESET & ~(1 << 11))
            assert tile.engine.rounds(200) == rounds.OK, how
            poll, looking = tile.state.poll[BRISC], int(tile.state.engine["looking"])
            left = bool(poll["length"] and poll["clocked"] and not looking >> BRISC & 1)
            assert left == (how in LEFT_ALONE), how
            if how in LEFT_ALONE:
                assert abs(int(poll["until"]) - waits) < 20, how
            assert tile.engine.rounds(5000) == rounds.STOP_STUCK, how
            assert waits < int(tile.state.riscv[BRISC]["retired"]) < 2 * waits + 1200, how


@pytest.mark.parametrize("how", LEFT_ALONE)
def test_short_waits_in_a_loop(how: str) -> None:
    """The loop around them comes round as well, and a run may end and go on anywhere in it."""
    pair = Tile(), Tile()
    begin, loop = clock_wait(how, 35)
    loop = [NOP, *loop]
    loop[-1] = again(loop[-1], len(loop))
    words = [*begin, *loop, jump_back(len(begin) + len(loop))]
    for tile, finds in zip(pair, (1, 0), strict=True):
        tile.state.engine["find_polls"] = finds
        tile.write(0, b"".join(word.to_bytes(4, "little") for word in words))
        tile.reg_write(DEBUG_REGISTERS + SOFT_RESET_0, ALL_CORES_IN_RESET & ~(1 << 11))
    lengths = random.Random(how)
    for part in range(200):
        length = lengths.choice([1, 2, 30, 61, 300, 700])
        assert run_beside(pair, length) == rounds.OK
        same(pair, f"part {part}, {length} rounds")


@pytest.mark.parametrize("engine", ["reference", "fast"])
def test_a_word_that_fails_while_a_core_polls(engine: str) -> None:
    """The core has had its turn in that round, whoever pushed the word."""
    unknown = 0xFF << 24
    for more in range(6):
        pair = Tile(engine=engine), Tile(engine=engine)
        for tile, finds in zip(pair, (1, 0), strict=True):
            tile.state.engine["find_polls"] = finds
            waits = [*li(T2, 300 + more), addi(T2, T2, -1), bne(T2, 0, -1), *push(unknown)]
            for core, words in {
                0: [*waits, jump_back(0)],
                2: [*li(T0, FLAGS), lw(T2, T0), NOP, jump_back(2)],
            }.items():
                program = b"".join(word.to_bytes(4, "little") for word in words)
                tile.write(RESET_PC[core], program)
            released = 1 << RESET_BITS[0] | 1 << RESET_BITS[2]
            tile.reg_write(DEBUG_REGISTERS + SOFT_RESET_0, ALL_CORES_IN_RESET & ~released)
        assert run_beside(pair, 2000) in CHECKS
        assert pair[0].state.poll["length"][2]
        same(pair, f"{more} rounds later")
