"""A core that is alone runs many cycles at a stretch, and leaves what one at a time leaves.

Random programs of what a core does by itself and what may end such a stretch, on both chips.
"""

import random

import pytest

from engine_pair import CHIPS
from riscv_program import RESET_BITS, RESET_PC, li
from tilelab.riscv.table import RV32, TTINSN, Extension, Format
from tilelab.riscv.words import jump_back
from tilelab.sim.kernel import OK
from tilelab.sim.record import differences
from tilelab.tensix.arch import arch
from tilelab.tensix.run import rounds
from tilelab.tensix.state import CORES, HEADER_BYTES
from tilelab.tensix.tables.tile_registers import (
    DEBUG_REGISTERS,
    LOCAL_RAM,
    SOFT_RESET_0,
    WALL_CLOCK_L,
)
from tilelab.tensix.tile.tile import Tile

CASES = 40
CYCLES = 1500
L1, LOCAL, DEBUG = 8, 9, 3
"""Registers that hold where memory and the tile's registers are."""
FREE = (1, 2, 4, 5, 6, 7)
"""Registers that programs compute with."""
PLAIN = (Format.REGISTER, Format.IMMEDIATE, Format.SHIFT, Format.UNARY, Format.UPPER)


class Lone:
    """A random program for a core."""

    def __init__(self, chip: str, seed: int) -> None:
        self.choose = random.Random(f"lone {chip} {seed}")
        rows = [row for row in RV32.rows.values() if row.extension in arch(chip).extensions]
        self.plain = [row for row in rows if row.format in PLAIN]
        self.divided = [row for row in rows if row.extension == Extension.M]
        self.branches = [row for row in rows if row.format is Format.BRANCH]
        self.memory = [row for row in rows if row.format in (Format.LOAD, Format.STORE)]

    def register(self) -> int:
        return self.choose.choice((0, *FREE))

    def computed(self) -> int:
        """A word that computes; now and then it divides or multiplies."""
        row = self.choose.choice(self.divided if self.choose.random() < 0.1 else self.plain)
        names = list(row.format.value.operands)
        values = [
            self.register() if name in ("rd", "rs1", "rs2") else self.choose.randrange(32)
            for name in names
        ]
        if row.format is Format.UPPER:
            values[names.index("upper")] <<= 12
        return row.encode(*values)

    def accessed(self) -> int:
        """A load or a store, of any size; many meet in a few lines of L1."""
        row = self.choose.choice(self.memory)
        base = self.choose.choice((L1, L1, LOCAL))
        offset = 4 * self.choose.choice((0, 1, 2, 3, self.choose.randrange(64)))
        value = self.register()
        return row.encode(value, base, offset)

    def other(self) -> int:
        """What is seen by others, or holds the core up: the clock, a push, a jump, a fence."""
        skip = RV32.word("jal", self.register(), 4 * self.choose.randrange(1, 3))
        clock = RV32.word("lw", self.register(), DEBUG, WALL_CLOCK_L)
        return self.choose.choice(
            (skip, skip, clock, RV32.word("fence"), TTINSN.encode(0x02000000))
        )

    def program(self) -> list[int]:
        """Loops of a few turns with what a core does in them, for ever; or it comes to rest."""
        made = [*li(L1, 0x2000), *li(LOCAL, LOCAL_RAM), *li(DEBUG, DEBUG_REGISTERS)]
        begin = len(made)
        rare = self.choose.choice((0, 0.03, 0.1))
        for _ in range(self.choose.randrange(1, 9)):
            made += li(10, self.choose.randrange(1, 30))
            body: list[int] = []
            for _ in range(self.choose.randrange(1, 20)):
                kind = self.choose.random()
                if kind < rare:
                    body.append(self.other())
                elif kind < 0.4:
                    body.append(self.accessed())
                elif kind < 0.5:
                    branch = self.choose.choice(self.branches)
                    body.append(branch.encode(self.register(), self.register(), 8))
                else:
                    body.append(self.computed())
            body += [RV32.word("addi", 0, 0, 0)] * 2  # what a skip may land on
            body.append(RV32.word("addi", 10, 10, -1))
            made += [*body, RV32.word("bne", 10, 0, -4 * len(body))]
        back = 0 if self.choose.random() < 0.3 else len(made) - begin
        return [*made, jump_back(back)]


def released(tile: Tile, chip: str, core: int, words: list[int], busy: int) -> None:
    """Begin a program on a core, and on another one, if there is one, a store or two and a halt."""
    if chip == "wormhole":  # it takes reset addresses from Config
        state = tile.state
        state.config[:, tile.arch.reset_pc_config :][:, :3] = RESET_PC[:3]
        state.config[:, tile.arch.reset_pc_config + 3] = 7
    code = b"".join(word.to_bytes(4, "little") for word in words)
    for at in range(CORES):
        tile.write(RESET_PC[at], code)
    tile.write(0x2000, bytes(range(256)))
    reset = tile.reg_read(DEBUG_REGISTERS + SOFT_RESET_0) & ~(1 << RESET_BITS[core])
    tile.reg_write(DEBUG_REGISTERS + SOFT_RESET_0, reset)
    tile.state.cycle["what_if"][6:8] = busy


def same(one: Tile, other: Tile, what: str) -> None:
    """Nothing that is the tile's differs, nor anything of the cycle clock."""
    assert (one.state.l1 == other.state.l1).all(), what
    for name in ("cycle", "riscv", "clock"):
        left, right = one.state.record[name], other.state.record[name]
        assert left.tobytes() == right.tobytes(), (
            f"{what}: {differences(one.state.record, other.state.record)[:8]}"
        )
    assert not one.state.diff(other.state.record), what


@pytest.mark.parametrize("chip", CHIPS)
def test_any_stretch_leaves_what_one_cycle_at_a_time_leaves(chip: str) -> None:
    tiles = [Tile(chip, engine="fast", clock="cycle") for _ in range(2)]
    fresh = tiles[0].state.memory[HEADER_BYTES:].copy()
    ran = stuck = 0
    for seed in range(CASES):
        made = Lone(chip, seed)
        choose, words = made.choose, made.program()
        core, busy = choose.randrange(4), choose.choice((0, 0, 0, 3, 255))
        for tile in tiles:
            tile.state.memory[HEADER_BYTES:] = fresh
            tile.state.l1[:] = 0
            released(tile, chip, core, words, busy)
        together, single = tiles
        left = CYCLES
        while left > 0:
            count = min(left, choose.choice((1, 2, 5, 40, 300, 1000)))
            code = together.engine.rounds(count)
            passed = count if code == OK else 0
            codes = [single.engine.rounds(1) for _ in range(passed)]
            while code != OK and (not codes or codes[-1] == OK):
                codes.append(single.engine.rounds(1))
                assert len(codes) <= count, f"{chip} case {seed}: {code}"
            same(together, single, f"{chip} case {seed}, {left} cycles left: {code}")
            left -= count
            if code != OK:
                assert codes[-1] == code, f"{chip} case {seed}"
                stuck += code == rounds.STOP_STUCK
                break
            assert set(codes) == {OK}, f"{chip} case {seed}"
        ran += int(tiles[0].state.record["riscv"][core]["retired"])
    assert ran > 200 * CASES
    assert stuck


@pytest.mark.parametrize("chip", CHIPS)
def test_both_engines_leave_the_same_of_a_lone_core(chip: str) -> None:
    pair = Tile(chip, engine="reference", clock="cycle"), Tile(chip, engine="fast", clock="cycle")
    fresh = pair[0].state.memory[HEADER_BYTES:].copy()
    for seed in range(CASES // 2):
        made = Lone(chip, seed)
        choose, words = made.choose, made.program()
        core = choose.randrange(4)
        for tile in pair:
            tile.state.memory[HEADER_BYTES:] = fresh
            tile.state.l1[:] = 0
            released(tile, chip, core, words, 0)
        for count in (choose.randrange(1, 200), choose.randrange(200, 400)):
            codes = [tile.engine.rounds(count) for tile in pair]
            assert codes[0] == codes[1], f"{chip} case {seed}"
            same(*pair, f"{chip} case {seed}")
            if codes[0] != OK:
                break
