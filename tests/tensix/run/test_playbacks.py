"""What a replay expander plays back in a function of its own leaves what the interpreter leaves.

Equal means everything: architecture, L1, counts, what the engines note about a run, and the code.
Functions are made quickly for these tests, but for those of a long run.
"""

import ctypes
from collections import Counter
from typing import Any

import numpy as np
import pytest

import engine_pair
from engine_pair import CHIPS, Pair
from tilelab.bench.backends import Driver, TileHost
from tilelab.bench.work import catalogue
from tilelab.kernelpy import tiers
from tilelab.kernelpy.build import emit
from tilelab.kernelpy.tiers import Tiers
from tilelab.sim.checks import CHECKS
from tilelab.sim.record import differences
from tilelab.tensix.run import rounds
from tilelab.tensix.run.speed import fast, playbacks
from tilelab.tensix.state import HEADER_BYTES
from tilelab.tensix.tables.units import SubUnit, Unit
from tilelab.tensix.tile.tile import Tile

BODIES = 12
AFTER = 40
"""Rounds after those that end amid a playback."""
LIGHT = {Unit.VECTOR, Unit.MATRIX, Unit.SYNC}


def body(engines: Pair, t: int, seed: int) -> tuple[int, ...]:
    """Random words of all rows, which succeed one after the other, but for a few."""
    rng = np.random.default_rng([seed, 18])
    rows = engines.reference.arch.instructions
    names = [name for name, row in rows.items() if row.unit != Unit.FRONTEND]
    if seed % 2:
        names = [name for name in names if rows[name].unit in LIGHT]
    words: list[int] = []
    while len(words) < 3 + seed % 14:
        word = engines.row_words(names[int(rng.integers(len(names)))], 1, rng)[0]
        if engines.reference.engine.execute(t, word) == 0 or rng.random() < 0.02:
            words.append(word)
    return tuple(words)


def engine_of(tile: Tile) -> fast.FastEngine:
    assert isinstance(tile.engine, fast.FastEngine)
    return tile.engine


def function(tile: Tile, t: int, words: tuple[int, ...], quick: bool = True) -> int:
    """The address of a function for words."""
    code = engine_of(tile)._code
    assert isinstance(code, Tiers)
    symbol = f"test_{t}_{quick}_{'_'.join(f'{word:x}' for word in words)}"
    if symbol not in code._added:
        made = fast.playback_module(tile.arch, t, words, symbol, quick)
        code._added[symbol] = code._library.add(emit(made.whole), symbol)
    return code._added[symbol]


def begin(engines: Pair, seed: int, t: int, first: int, words: tuple[int, ...]) -> None:
    """A random state, and a thread that is to play back words."""
    engines.restart(seed)
    rows = engines.reference.arch.instructions
    play = rows["REPLAY"].encode(start_idx=first, len=len(words))
    for tile in (engines.reference, engines.fast):
        tile.state.frontend[t]["replay_buffer"][first : first + len(words)] = words
        for word in (play, rows["NOP"].encode()):
            tile.push(word, t)


def same(engines: Pair, what: str) -> None:
    """Assert that nothing at all differs."""
    one, other = (tile.state for tile in (engines.reference, engines.fast))
    if not np.array_equal(one.memory[HEADER_BYTES:], other.memory[HEADER_BYTES:]):
        raise AssertionError(f"{what}: {differences(one.record, other.record)[:8]}")
    assert np.array_equal(one.l1, other.l1), f"{what}: L1 differs"


def both(engines: Pair, count: int, what: str) -> int:
    """Run rounds in both; the code."""
    codes = [tile.engine.rounds(count) for tile in (engines.reference, engines.fast)]
    assert codes[0] == codes[1], f"{what}: {codes}"
    same(engines, what)
    return codes[0]


def test_other_words_in_the_buffer_are_played_as_they_are() -> None:
    """A function belongs to words, not to slots; words that come again find it again."""
    engines = engine_pair.pair("blackhole")
    rows = engines.reference.arch.instructions
    words = tuple(rows["SFPLOADI"].encode(lreg_ind=i, imm16=i) for i in range(4))
    others = (*words[:3], rows["SFPLOADI"].encode(lreg_ind=5, imm16=9))
    row = engine_of(engines.fast)._played.know(0, 8, words, function(engines.fast, 0, words))
    for played, was_interpreted in ((words, False), (others, True), (words, False)):
        begin(engines, 0, 0, 8, played)
        both(engines, AFTER, f"{played}")
        assert bool(row["count"]) == was_interpreted or row["code"] == 0
    row = engine_of(engines.fast)._played.know(0, 8, words, function(engines.fast, 0, words))
    begin(engines, 0, 0, 8, words)
    for tile in (engines.reference, engines.fast):  # the gate's word is not the buffer's any more
        tile.engine.rounds(1)
        tile.state.frontend[0]["replay_buffer"][8] = others[3]
    both(engines, AFTER, "a buffer that a debugger wrote to")


def test_others_are_let_in_where_they_could_notice() -> None:
    """A function ends behind a word with effects, and where results of SFPLOADMACRO are to come."""
    engines = engine_pair.pair("blackhole")
    rows = engines.reference.arch.instructions
    nops = (rows["NOP"].encode(),) * 3
    s = engines.reference.state.s

    def restart(seed: int) -> None:
        engines.restart(seed)
        for tile in (engines.reference, engines.fast):  # each macro stores, some cycles later
            tile.state.record["load_macro_sequence"] = (3 | 2 << 3) << 8 * SubUnit.STORE

    for name, issued in (("STOREREG", 1), ("SFPLOADMACRO", 2)):
        for seed, word in enumerate(engines.row_words(name, 60)):
            restart(seed)
            before = s.effects
            code = engines.reference.engine.execute(1, word)
            if code == 0 and (s.vector.load_macro.busy or s.effects != before):
                break
        else:
            raise AssertionError(f"no word of {name} does what it is here for")
        restart(seed)
        address = function(engines.fast, 1, (word, *nops))
        called = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(address)
        assert called(engine_of(engines.fast).address) == issued, name


def test_a_watched_word_stops_a_playback_where_it_changes() -> None:
    """The round of the word that changed it is the last one."""
    engines = engine_pair.pair("blackhole")
    rows = engines.reference.arch.instructions
    add = rows["ADDDMAREG"].encode(
        op_b_is_const=1, op_b_reg_index=1, result_reg_index=3, op_a_reg_index=3
    )
    store = rows["STOREIND"].encode(
        mem_hier_sel=1, size_sel=1, reg_size_sel=1, data_reg_index=3, addr_reg_index=4
    )
    words = (add, add, store, add, store, add)
    row = engine_of(engines.fast)._played.know(1, 0, words, function(engines.fast, 1, words))
    begin(engines, 0, 1, 0, words)
    for tile in (engines.reference, engines.fast):
        tile.state.gpr[1] = 0
        tile.state.l1[:] = 0
    stored = words.index(store)
    codes = [tile.engine.settled(AFTER, 0, 8) for tile in (engines.reference, engines.fast)]
    assert codes == [rounds.STOP_CONDITION] * 2
    same(engines, "at the store")
    assert engines.fast.state.frontend["issued"][1] == stored + 1
    assert row["count"] == 0
    for tile in (engines.reference, engines.fast):
        tile.state.engine["watches"] = 0
    both(engines, AFTER, "after it")


def run_parts(engines: Pair, seed: int, t: int, words: tuple[int, ...], row: Any) -> Counter[str]:
    """Run words with an end after any number of rounds, and go on; what the runs came to."""
    first = seed % (33 - len(words))
    found: Counter[str] = Counter()
    for part in range(len(words) + 4):
        begin(engines, seed, t, first, words)
        what = f"{engines.fast.arch.name} body {seed}, {part} rounds"
        code = both(engines, part, what) if part else rounds.OK
        if code in (rounds.OK, rounds.STOP_STUCK):
            code = both(engines, AFTER, what)
        found["stops" if code <= 0 else CHECKS[code].name] += 1
        if part == 0:
            assert row["count"] == 0, f"{what}: interpreted"
    return found


@pytest.mark.parametrize("chip", CHIPS)
@pytest.mark.parametrize("seed", range(BODIES))
def test_random_words_with_an_end_after_each(chip: str, seed: int) -> None:
    """All rows, from random states: what waits, fails, or has to be seen ends a function there."""
    engines = engine_pair.pair(chip)
    t = seed % 3
    engines.restart(seed)
    words = body(engines, t, seed)
    first = seed % (33 - len(words))
    table = engine_of(engines.fast)._played
    row = table.know(t, first, words, 0)
    begin(engines, seed, t, first, words)
    both(engines, AFTER, f"{chip} body {seed}, interpreted")
    assert row["count"] == len(words), "no playback was begun"
    row = table.know(t, first, words, function(engines.fast, t, words))
    run_parts(engines, seed, t, words, row)


def test_a_long_run_gets_functions(monkeypatch: pytest.MonkeyPatch) -> None:
    """A program that plays the same words often enough; the reference engine leaves the same."""
    monkeypatch.setattr(fast, "_CODE", {})
    monkeypatch.setenv(tiers.PATIENCE, "0")
    work = catalogue()["SFPIADD"]
    pair = Tile("blackhole", engine="reference"), Tile("blackhole", engine="fast")
    repeats = 3 * playbacks.FIRST_ASKED // int(work.per_repeat)
    for tile in pair:
        Driver(TileHost(tile), work).run(repeats)
    table = engine_of(pair[1])._played.table["playback"]
    assert table["code"].any(), table["count"].max()
    for name in ("lreg", "rwc", "clock", "riscv", "frontend"):
        assert (pair[0].state.record[name] == pair[1].state.record[name]).all(), name
    assert (pair[0].state.engine["issued"] == pair[1].state.engine["issued"]).all()
