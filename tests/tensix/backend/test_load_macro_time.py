"""SFPLOADMACRO in a running tile: time passes without vector instructions too."""

from itertools import product

import numpy as np
import pytest

from tilelab.tensix import StopReason, Tile
from tilelab.tensix.tile.tile import CLOCKS, ENGINES

CHIPS = ("blackhole", "wormhole")
FP32 = 3
SIMPLE, STORE = 0, 24
"""Where a sequence has a sub-unit's byte."""
OWN_STORE, FIRST_TEMPLATE = 3, 4
COUNTS_STORES = 1 << 11
SFPLOADMACRO_COUNTS = FP32 | COUNTS_STORES
BLOCK_VECTOR = 1 << 8


@pytest.fixture(params=product(CHIPS, ENGINES, CLOCKS), ids=str)
def tile(request: pytest.FixtureRequest) -> Tile:
    chip, engine, clock = request.param
    if engine == "fast":
        pytest.importorskip("llvmlite")
    made = Tile(chip, engine=engine, clock=clock)
    made.state.record["use_lane_flags"] = 0
    made.state.record["dst"] = np.arange(1024 * 16).reshape(1024, 16)
    return made


def push(tile: Tile, name: str, **fields: int) -> None:
    tile.push(tile.arch.instructions[name].encode(**fields))


def store_later(tile: Tile, delay: int, misc: int = FP32) -> None:
    """Schedule |LReg[0]| of rows 0..3, stored back ``delay`` cycles later."""
    record = tile.state.record
    record["load_macro_template"][0] = tile.arch.instructions["SFPMOV"].encode(
        lreg_c=0, instr_mod1=1
    )
    negate = FIRST_TEMPLATE << SIMPLE
    record["load_macro_sequence"][0] = negate | (OWN_STORE | delay << 3) << STORE
    record["load_macro_misc"] = misc
    push(tile, "SFPLOADMACRO", instr_mod0=FP32)


def stored(tile: Tile) -> bool:
    """Whether the scheduled store has changed the signs in Dst."""
    return bool(tile.state.record["dst"][0, 0] & 0x8000)


def test_what_is_scheduled_happens_though_nothing_follows(tile: Tile) -> None:
    store_later(tile, 6)
    assert tile.run(100) == StopReason.IDLE
    assert tile.state.record["load_macro_busy"] == 0
    assert stored(tile)


def test_what_counts_instructions_stays_and_holds_nothing_up(tile: Tile) -> None:
    store_later(tile, 6, SFPLOADMACRO_COUNTS)
    assert tile.run(100) == StopReason.IDLE
    assert tile.state.record["load_macro_busy"] == 1
    assert not stored(tile)
    for _ in range(7):
        push(tile, "SFPNOP")
    assert tile.run(100) == StopReason.IDLE
    assert stored(tile)


@pytest.mark.parametrize("waits", [False, True])
def test_stallwait_waits_for_the_vector_unit(tile: Tile, waits: bool) -> None:
    store_later(tile, 6)
    if waits:
        vector_busy = 1 << (tile.arch.condition_src_a_cleared + 6)
        push(tile, "STALLWAIT", stall_res=BLOCK_VECTOR, wait_res=vector_busy)
    push(tile, "SFPLOAD", lreg_ind=4, instr_mod0=FP32)
    assert tile.run(100) == StopReason.IDLE
    negative = tile.state.record["lreg"][4, 0] >> 31
    assert negative == (1 if waits else 0)
