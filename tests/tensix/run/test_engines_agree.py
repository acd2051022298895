"""Random words and programs: both engines leave equal state, and nothing but declared outcomes."""

from collections import Counter
from functools import cache

import numpy as np
import pytest

from engine_pair import CHIPS, Pair, pair
from tilelab.sim.checks import CHECKS, Policy
from tilelab.tensix.arch import arch
from tilelab.tensix.backend import SEMANTICS
from tilelab.tensix.chips.opcodes import MOP, REPLAY
from tilelab.tensix.run import rounds
from tilelab.tensix.tables.units import Unit
from tilelab.tensix.tile.tile import Tile

WORDS = 12
PROGRAMS = 60
ROWS = [(chip, name) for chip in CHIPS for name in arch(chip).instructions]
EXPANDED = {"MOP", "MOP_CFG", "REPLAY"}
STOPS = {0, rounds.STOP_IDLE, rounds.STOP_STUCK}

NEVER_SUCCEED = {
    "matrix-undocumented", "matrix-legacy", "matrix-histogram", "shiftxa", "rstdma", "pacr-setreg",
    "tbufcmd", "setdvalid-format", "streamwait", "streamwrcfg", "no-backend-unit",
}  # fmt: skip
"""Checks of instructions that are refused whatever their operands."""


@pytest.mark.parametrize("chip", CHIPS)
def test_every_row_has_a_kernel(chip: str) -> None:
    assert set(arch(chip).instructions) - set(SEMANTICS[chip]) == EXPANDED


@pytest.mark.parametrize("policy", [None, Policy.OFF], ids=["defaults", "off"])
@pytest.mark.parametrize(("chip", "name"), ROWS)
def test_random_words_of_a_row(chip: str, name: str, policy: Policy | None) -> None:
    """Words of one row on random states: equal results; a failure leaves nothing half done."""
    engines = pair(chip, policy)
    for i, word in enumerate(engines.row_words(name, WORDS)):
        engines.restart(i)
        code = engines.execute(word, i % 3)
        what = f"{chip} {name} {word:#010x}, state {i}, code {code}"
        engines.compare(what)
        if code:
            engines.unchanged(what)


@cache
def outcomes(chip: str) -> dict[str, Counter[str]]:
    """What a hundred random words of each row came to, in the reference engine."""
    engines = pair(chip, Policy.OFF)
    found: dict[str, Counter[str]] = {}
    for name in engines.reference.arch.instructions:
        found[name] = Counter()
        for i, word in enumerate(engines.row_words(name, 100)):
            engines.restart(i)
            code = engines.reference.engine.execute(i % 3, word)
            found[name]["ok" if not code else CHECKS[code].name if code > 0 else "wait"] += 1
    return found


@pytest.mark.parametrize("chip", CHIPS)
def test_random_words_do_succeed(chip: str) -> None:
    """The property above would mean little if most words failed."""
    for name, counts in outcomes(chip).items():
        refused = counts.keys() & NEVER_SUCCEED
        assert counts["ok"] or refused, f"{name}: {counts}"


@pytest.mark.parametrize("chip", CHIPS)
def test_any_32_bits_at_all(chip: str) -> None:
    """No random word causes anything but a listed category."""
    engines = pair(chip)
    rng = np.random.default_rng(7)
    for i in range(400):
        engines.restart(i)
        word = int(rng.integers(1 << 32))
        engines.execute(word, i % 3)
        engines.compare(f"{word:#010x}")


def program(engines: Pair, rng: np.random.Generator) -> list[tuple[int, int]]:
    """A straight-line program over all rows, as ``(thread, word)``.

    Its words succeed one after the other, but for a few; among them are expansions.
    """
    instructions = engines.reference.arch.instructions
    names = [name for name, row in instructions.items() if row.unit != Unit.FRONTEND]
    words: list[tuple[int, int]] = []
    for _ in range(60):
        name = names[int(rng.integers(len(names)))]
        word, thread = engines.row_words(name, 1, rng)[0], int(rng.integers(3))
        keep = engines.reference.engine.execute(thread, word) == 0 or rng.random() < 0.01
        if keep:
            words.append((thread, word))
        if rng.random() < 0.05:
            play = instructions["REPLAY"].encode(start_idx=int(rng.integers(32)), len=2)
            words.append((thread, play))
        if rng.random() < 0.05:
            words.append((thread, instructions["MOP"].encode(mop_type=int(rng.integers(2)))))
    return words


def load(tile: Tile, words: list[tuple[int, int]]) -> None:
    """Give the frontends something to expand, and push a program: as much as the FIFOs hold."""
    rows = tile.arch.instructions
    for t in range(3):
        loops = [2, 2, *(rows[name].encode() for name in ("NOP", "DMANOP", "SFPNOP"))]
        tile.state.frontend[t]["mop_cfg"][:5] = loops
        tile.state.frontend[t]["mop_cfg"][5:] = rows["INCRWC"].encode(rwc_d=1)
        tile.state.frontend[t]["replay_buffer"] = rows["ADDDMAREG"].encode(
            op_b_is_const=1, op_b_reg_index=1, result_reg_index=3, op_a_reg_index=3
        )
        for word in [word for thread, word in words if thread == t][: tile.arch.input_fifo[t]]:
            tile.push(word, t)


@pytest.mark.parametrize("chip", CHIPS)
def test_random_programs(chip: str) -> None:
    """Three threads run a random program from a random state through their frontends."""
    engines = pair(chip)
    issued: list[int] = []
    for seed in range(PROGRAMS):
        engines.restart(seed)
        words = program(engines, np.random.default_rng(seed))
        engines.restart(seed)
        for tile in (engines.reference, engines.fast):
            load(tile, words)
        codes = [tile.engine.rounds(400) for tile in (engines.reference, engines.fast)]
        assert codes[0] == codes[1]
        assert codes[0] in STOPS or codes[0] in CHECKS
        engines.compare(f"{chip} program {seed}, code {codes[0]}")
        issued.append(int(engines.fast.state.frontend["issued"].sum()))
    assert sum(issued) > 20 * PROGRAMS, f"programs stop too early: {issued}"


def play(tile: Tile, slots: list[int], mop: list[int], word: int, rounds: list[int]) -> int:
    """Play words back thrice, some rounds at a time: the first code that is not OK."""
    thread = slots[0] % 3
    tile.state.frontend[thread]["replay_buffer"] = slots
    tile.state.frontend[thread]["mop_cfg"] = mop
    for _ in range(3):
        tile.push(word, thread)
    return next((code for code in map(tile.engine.rounds, rounds) if code), 0)


@pytest.mark.parametrize("chip", CHIPS)
def test_vector_words_that_are_played_back_at_a_stretch(chip: str) -> None:
    """Any of them, with others between, some that fail, left off anywhere: as one after another.

    By REPLAYs, and by MOPs that give REPLAYs and words of their own.
    """
    engines = pair(chip, Policy.OFF)
    rows = engines.reference.arch.instructions
    names = (
        ["NOP", "INCRWC", "SETRWC", "SEMPOST"],
        [name for name in rows if rows[name].unit == Unit.VECTOR],
    )
    words = {name: engines.row_words(name, WORDS) for kind in names for name in kind}
    issued = 0
    for seed in range(2 * PROGRAMS):
        rng = np.random.default_rng(seed)
        are_vector = rng.random(32) < rng.choice([0.8, 0.97, 1])
        slots = [int(rng.choice(words[rng.choice(names[int(one)])])) for one in are_vector]
        word = REPLAY.word(start_idx=int(rng.integers(32)), len=int(rng.integers(1, 33)))
        mop = [int(n) for n in rng.integers(1, 12, 2)] + rng.choice([word, slots[0]], 7).tolist()
        word = rng.choice([word, MOP.word(mop_type=1)]).item()
        length = int(rng.integers(2, 90))
        engines.restart(seed)
        ended = play(engines.reference, slots, mop, word, [length])
        left = engines.reference.state.record.copy()
        issued += int(left["frontend"]["issued"].sum())
        for parts in ([length], [1] * length):
            engines.restart(seed)
            what = f"{chip} {seed}: {length} rounds in {len(parts)} parts"
            assert play(engines.fast, slots, mop, word, parts) == ended, what
            assert not engines.fast.state.diff(left), what
            for name in ("issued", "fault_word", "fault_origin", "fault_thread"):
                assert (engines.fast.state.engine[name] == left["engine"][name]).all(), what
    assert issued > 20 * PROGRAMS, issued
