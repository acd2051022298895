"""Cores, frontends and units together at random: after any number of rounds both engines are equal.

Equal means everything: architecture, L1, counts, what the engines note about a run, and the code.
"""

import random
from collections import Counter

import numpy as np
import pytest

from engine_pair import CHIPS
from riscv_program import (
    HALT,
    RESET_BITS,
    RESET_PC,
    T0,
    T1,
    T2,
    bne,
    csrr,
    li,
    load,
    lw,
    push,
    store,
    sw,
    wait_for,
)
from tilelab.riscv.words import jump_back
from tilelab.sim.checks import CHECKS
from tilelab.sim.record import differences
from tilelab.tensix.arch import arch
from tilelab.tensix.run import rounds
from tilelab.tensix.state import (
    ALL_CORES_IN_RESET,
    CORES,
    HEADER_BYTES,
    THREADS,
    TRACE_SLOTS,
    TensixState,
)
from tilelab.tensix.tables.tile_registers import (
    DEBUG_REGISTERS,
    INSTRN_BUF,
    MAILBOXES,
    MOP_CFG,
    MOP_SYNC,
    PC_BUF,
    SEMAPHORES,
    SOFT_RESET_0,
    TENSIX_SYNC,
    WALL_CLOCK_L,
)
from tilelab.tensix.tile.tile import Tile

BRISC, NCRISC = 3, 4
CASES = 60
FLAGS, RESULTS = 0x2000, 0x3000
LOOP_BACK = 0xFFF38393  # addi t2, t2, -1
STOPS = {
    rounds.OK,
    rounds.STOP_IDLE,
    rounds.STOP_STUCK,
    rounds.STOP_CONDITION,
    rounds.STOP_TRACE,
}
CLOCK = DEBUG_REGISTERS + WALL_CLOCK_L


class Programs:
    """Random programs for the cores of a tile."""

    def __init__(self, chip: str, seed: int) -> None:
        self.choose = random.Random(f"{chip} {seed}")
        self.rows = arch(chip).instructions
        self.chip = chip
        self.flags = 0

    def word(self, name: str, **fields: int) -> int:
        return self.rows[name].encode(**fields)

    def plain(self) -> int:
        """A word that hardly ever fails, and may have to wait."""
        choose = self.choose
        sync = 1 << choose.randrange(3)
        heavy = [
            self.word("STALLWAIT", stall_res=choose.choice([0x1FF, 1]), wait_res=0),
            self.word("SEMWAIT", stall_res=0x1FF, sem_sel=sync, wait_sem_cond=1),
            self.word("ATGETM", mutex_index=0),
            self.word("ATRELM", mutex_index=0),
            self.word("INCRWC", rwc_d=1),
            self.word("ADDDMAREG", op_b_is_const=1, op_b_reg_index=1, result_reg_index=3),
            self.word("SFPLOADI", lreg_ind=choose.randrange(8), imm16=choose.randrange(1 << 16)),
            self.word("SFPLOADMACRO", lreg_ind=choose.randrange(4)),
            self.word("MVMUL", dst=8, clear_dvalid=choose.choice([0, 0, 3])),
            self.word("ZEROSRC", src_mask=3),
        ]
        light = [
            self.word("NOP"),
            self.word("SFPNOP"),
            self.word("SEMPOST", sem_sel=sync),
            self.word("SETRWC"),
        ]
        return choose.choice(heavy if choose.random() < 0.15 else light)

    def replay(self) -> list[int]:
        """Record some words, or play some back."""
        start = self.choose.randrange(32)
        count = self.choose.randrange(1, 12)
        play = self.word("REPLAY", start_idx=start, len=count)
        if self.choose.random() < 0.5:
            return [play]
        record = play | self.choose.choice([1, 3])
        return [record, *(self.plain() for _ in range(count)), play, play]

    def mop(self) -> list[int]:
        """Stores that program a MOP, and one that starts it."""
        loops = [self.choose.randrange(4), self.choose.randrange(1, 8)]
        words = [
            self.replay()[-1] if self.choose.random() < 0.6 else self.plain() for _ in range(7)
        ]
        kind = self.choose.choice([0, 1, 1])
        mask = self.choose.getrandbits(8)
        made = [w for i, v in enumerate([*loops, *words]) for w in store(MOP_CFG + 4 * i, v)]
        start = 0x01000000 | kind << 23 | self.choose.randrange(8) << 16 | mask
        return [*made, *(w for _ in range(self.choose.randrange(1, 6)) for w in push(start))]

    def pushes(self, core: int) -> list[int]:
        """Push words; BRISC's go to any thread."""
        aperture = self.choose.randrange(THREADS) << 16 if core == BRISC else 0
        words = self.replay() if self.choose.random() < 0.4 else [self.plain()]
        return [w for word in words for w in store(INSTRN_BUF + aperture, word)]

    def action(self, core: int) -> list[int]:
        """Something that a core does."""
        choose = self.choose
        result = RESULTS + 4 * choose.randrange(16)
        box = MAILBOXES + (choose.randrange(4) << 12)
        actions = [
            self.pushes(core),
            self.pushes(core),
            self.pushes(core),
            store(FLAGS + 4 * choose.randrange(3), 1),
            store(result, choose.getrandbits(32)),
            [*load(T2, CLOCK), *li(T0, result), sw(T2, T0)],
            [*li(T2, choose.randrange(1, 60)), LOOP_BACK, bne(T2, 0, -1)],
        ]
        if core == NCRISC:  # it reaches neither the coprocessor nor mailboxes
            return choose.choice(actions[3:])
        if choose.random() < 0.1:
            actions += [wait_for(FLAGS + 4 * choose.randrange(3), 1)] * 3
            actions += [store(box, choose.getrandbits(32)), load(T2, box)]
        if self.chip == "blackhole":
            actions.append([csrr(T2, 0xBC0), *li(T0, result), sw(T2, T0)])
        if core != BRISC:
            semaphore = PC_BUF + SEMAPHORES + 4 * choose.randrange(3)
            actions += [self.mop(), self.mop(), store(semaphore, 0)]
            actions += [load(T2, PC_BUF + TENSIX_SYNC), load(T2, PC_BUF + MOP_SYNC)]
            actions += [[*load(T2, semaphore), *li(T0, result), sw(T2, T0)]]
        else:
            reset = DEBUG_REGISTERS + SOFT_RESET_0
            held = 1 << choose.choice([12, 13, 14]) if choose.random() < 0.1 else 0
            actions.append(store(reset, held))
        return choose.choice(actions)

    def program(self, core: int) -> bytes:
        """What one core does: an endless loop, or at the end polling or halting."""
        words = [w for _ in range(self.choose.randrange(1, 25)) for w in self.action(core)]
        halt, poll = [HALT], [*li(T0, FLAGS + 12), lw(T1, T0), jump_back(1)]
        last = self.choose.choice([halt, poll, [jump_back(len(words))], [jump_back(len(words))]])
        return b"".join(word.to_bytes(4, "little") for word in [*words, *last])


def same(pair: tuple[Tile, Tile], what: str) -> None:
    """Assert that nothing at all differs."""
    reference, fast = (tile.state for tile in pair)
    for state in (reference, fast):  # working memory means nothing between instructions
        for name in state.record.dtype.names or ():
            if name.startswith("scratch"):
                state.record[name] = np.zeros((), state.record.dtype[name].base)
    if not np.array_equal(reference.memory[HEADER_BYTES:], fast.memory[HEADER_BYTES:]):
        raise AssertionError(f"{what}: {differences(reference.record, fast.record)[:8]}")
    assert np.array_equal(reference.l1, fast.l1), f"{what}: L1 differs"


def restart(tile: Tile, fresh: TensixState, chip: str, seed: int) -> random.Random:
    """Put a tile at the beginning of a random case; returns what chooses the rest of it."""
    programs = Programs(chip, seed)
    choose = programs.choose
    state = tile.state
    state.memory[HEADER_BYTES:] = fresh.memory[HEADER_BYTES:]
    state.l1[:] = 0
    state.semaphore["max"] = 15
    state.semaphore["value"] = choose.choice([0, 2, 8])
    for name in ("src_a_valid", "src_b_valid"):
        state.record[name] = 1
    for frontend in state.frontend:
        frontend["mop_cfg"] = programs.word("NOP")
        frontend["replay_buffer"] = [programs.plain() for _ in range(32)]
    if chip == "wormhole":  # it takes reset addresses from Config
        state.config[:, tile.arch.reset_pc_config :][:, :3] = RESET_PC[:3]
        state.config[:, tile.arch.reset_pc_config + 3] = 7
    cores = choose.sample(range(CORES), choose.randrange(1, CORES + 1))
    for core in range(CORES):
        tile.write(RESET_PC[core], programs.program(core))
    released = sum(1 << RESET_BITS[core] for core in cores)
    state.record["noc"]["connected"] = choose.random() < 0.5  # a lone tile has no NCRISC
    tile.reg_write(DEBUG_REGISTERS + SOFT_RESET_0, ALL_CORES_IN_RESET & ~released)
    tile.watch_words({FLAGS: 1, RESULTS: 0} if choose.random() < 0.4 else {})
    state.engine["trace_on"] = choose.random() < 0.5
    return choose


@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize("cores", range(1, 1 << CORES))
def test_cores_that_start_and_stop_cores(chip: str, cores: int) -> None:
    """A core that others start or stop runs on or not in that very round, as its number says."""
    pair = Tile(chip, engine="reference"), Tile(chip, engine="fast")
    reset = DEBUG_REGISTERS + SOFT_RESET_0
    for writer in (core for core in range(CORES) if cores >> core & 1):
        for others in random.Random(cores).sample(range(1 << CORES), 10):
            kept = others | 1 << writer
            held = sum(1 << RESET_BITS[core] for core in range(CORES) if not kept >> core & 1)
            spin = [LOOP_BACK, jump_back(1)]
            for tile in pair:
                tile.reg_write(reset, ALL_CORES_IN_RESET)
                tile.state.record["noc"]["connected"] = 1  # a lone tile has no NCRISC
                if chip == "wormhole":
                    state = tile.state
                    state.config[:, tile.arch.reset_pc_config :][:, :3] = RESET_PC[:3]
                    state.config[:, tile.arch.reset_pc_config + 3] = 7
                for core in range(CORES):
                    words = [*store(reset, held), *spin] if core == writer else spin
                    code = b"".join(word.to_bytes(4, "little") for word in words)
                    tile.write(RESET_PC[core], code)
                released = sum(1 << RESET_BITS[c] for c in range(CORES) if cores >> c & 1)
                tile.reg_write(reset, ALL_CORES_IN_RESET & ~released)
                assert tile.engine.rounds(12) == rounds.OK
            same(pair, f"{cores:#x}: core {writer} leaves {kept:#x} running")
            assert [int(core["running"]) for core in pair[1].state.riscv] == [
                kept >> core & 1 for core in range(CORES)
            ]


@pytest.mark.parametrize("chip", CHIPS)
def test_any_number_of_rounds_leaves_the_same(chip: str) -> None:
    """Random programs on random cores, run in parts of random length."""
    pair = Tile(chip, engine="reference"), Tile(chip, engine="fast")
    fresh = Tile(chip, engine="reference").state
    issued: list[int] = []
    codes: Counter[int] = Counter()
    for seed in range(CASES):
        _, choose = (restart(tile, fresh, chip, seed) for tile in pair)
        for part in range(choose.randrange(2, 9)):
            length = choose.choice([1, 2, 7, 40, 300, 700])
            ends = [tile.engine.rounds(length) for tile in pair]
            what = f"{chip} case {seed}, part {part} of {length}: {ends}"
            assert ends[0] == ends[1], what
            assert ends[0] in STOPS or ends[0] in CHECKS, what
            same(pair, what)
            codes[min(ends[0], 1)] += 1
            if ends[0] > 0 or ends[0] == rounds.STOP_TRACE:
                break
        issued.append(int(pair[1].state.frontend["issued"].sum()))
    assert sum(issued) > 100 * CASES, f"programs stop too early: {issued}"
    assert codes[0] > CASES, codes
    assert codes[rounds.STOP_STUCK], codes
    assert codes[rounds.STOP_CONDITION], codes


@pytest.mark.parametrize("chip", CHIPS)
def test_a_full_trace_stops_both_in_the_same_round(chip: str) -> None:
    """A stream of words notes each at its clock, and ends where the buffer has to be emptied."""
    pair = Tile(chip, engine="reference"), Tile(chip, engine="fast")
    nop = Programs(chip, 0).word("NOP")
    for tile in pair:
        for index, value in enumerate([50, 100, *([nop] * 7)]):
            tile.write_mop_cfg(index, value)
        tile.push(Programs(chip, 0).word("MOP", mop_type=1))
        tile.state.engine["trace_on"] = 1
        assert tile.engine.rounds(500) == rounds.OK  # so that it is full amid a batch
        assert tile.engine.rounds(2 * TRACE_SLOTS) == rounds.STOP_TRACE
        assert tile.state.s.engine.trace_count == TRACE_SLOTS - THREADS + 1
    same(pair, f"{chip}, full")
    assert len(set(pair[1].state.engine["trace_clock"])) > TRACE_SLOTS - THREADS
    for tile in pair:
        tile.state.engine["trace_count"] = 0
        assert tile.engine.rounds(2 * TRACE_SLOTS) == rounds.STOP_IDLE
    same(pair, f"{chip}, emptied")


@pytest.mark.parametrize("chip", CHIPS)
def test_one_round_at_a_time_leaves_the_same(chip: str) -> None:
    """What batches and streams note saves looking, and changes nothing.

    That nothing can happen any more is noticed earlier by who looks after every round.
    """
    fresh = Tile(chip, engine="reference").state
    pair = Tile(chip, engine="fast"), Tile(chip, engine="fast")
    together, alone = pair
    compared = 0
    for seed in range(2 * CASES):
        _, choose = (restart(tile, fresh, chip, seed) for tile in pair)
        length = choose.choice([2, 7, 40, 300])
        if together.engine.rounds(length) != rounds.OK:
            continue
        codes = {alone.engine.rounds(1) for _ in range(length)}
        assert codes <= {rounds.OK, rounds.STOP_STUCK}, f"{chip} case {seed}"
        assert not together.state.diff(alone.state.record), f"{chip} case {seed}"
        for name in ("issued", "stalled", "trace_count", "trace_clock", "trace_word"):
            assert (together.state.engine[name] == alone.state.engine[name]).all(), name
        assert (together.state.l1 == alone.state.l1).all(), f"{chip} case {seed}"
        compared += 1
    assert compared > CASES / 2
