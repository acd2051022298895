"""When others than the matrix unit see that it has turned to the other Src bank."""

from pathlib import Path

import numpy as np
import pytest

from cycle_harness import CycleTile, plain
from tilelab.kernels.kernel_toml.file import read_kernel_file
from tilelab.kernels.run import load
from tilelab.tensix import Tile
from tilelab.tensix.chips.opcodes import UNPACR_NOP
from tilelab.tensix.cycle.events import ISSUE
from tilelab.tensix.tables.figures import BANK_TURNED, MATRIX_PORT

BLOCK_MATH = 1 << 6
EXAMPLES = Path(__file__).parents[3] / "examples"
ENGINES = ["reference", "fast"]


def bench(chip: str, engine: str) -> CycleTile:
    """A tile whose matrix unit owns bank 0 of SrcA and SrcB, the unpackers the other banks."""
    made = CycleTile(chip, engine)
    made.operands()
    made.tile.state.src_a_valid = made.tile.state.src_b_valid = [1, 0]
    made.tile.state.src_a_unpack_bank = made.tile.state.src_b_unpack_bank = 1
    return made


def word(made: CycleTile, name: str, **fields: int) -> int:
    return made.tile.arch.instructions[name].encode(**fields)


def wait_valid(made: CycleTile, which: int = 0, *, drains: bool = False) -> int:
    """STALLWAIT of the matrix unit's words on a bank, and if ``drains`` on its pipeline."""
    arch = made.tile.arch
    matrix = {"blackhole": 1 << 4, "wormhole": 1 << 7}[arch.name] if drains else 0
    bank = 1 << arch.condition_src_a_cleared + 2 + which
    return word(made, "STALLWAIT", stall_res=BLOCK_MATH, wait_res=bank | matrix)


def gift(made: CycleTile) -> list[int]:
    """UNPACR_NOP that clears SrcA's bank once the matrix unit's is free, and then gives it."""
    if made.tile.arch.name == "wormhole":
        return [word(made, "UNPACR_NOP", no_op=1), word(made, "UNPACR_NOP", no_op=7)]
    return [word(made, "UNPACR_NOP", set_dvalid=1, unpack_pop=1)]


def kept(chip: str, engine: str, nops: int, *, drains: bool) -> bool:
    """Whether what MOVD2A writes is still in SrcA in the end; T0 gives the bank so much later."""
    made = bench(chip, engine)
    made.tile.state.src_a = 0
    made.tile.state.dst = 0x3F80
    made.tile.state.dst_valid = 1
    clear = word(made, "SETRWC", clear_ab_vld=1)
    made.feed(clear, wait_valid(made, drains=drains), word(made, "MOVD2A"))
    made.feed(*map(plain, range(nops)), *gift(made), t=0)
    made.run()
    return bool(np.any(np.asarray(made.tile.state.src_a)))


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("chip", ["blackhole", "wormhole"])
def test_wait_right_behind_looks_at_the_bank_before(chip: str, engine: str) -> None:
    for gap in range(3):
        made = bench(chip, engine)
        made.tile.state.src_b_valid = [1, 1]
        clear = word(made, "SETRWC", clear_ab_vld=1)
        made.feed(clear, *[plain(i) for i in range(gap)], wait_valid(made), word(made, "MOVD2A"))
        # the wait looks for the first time in the cycle behind its own
        if gap + 2 < BANK_TURNED.value:
            made.run()
            assert made.issued()[-1] == gap + 3
        else:
            with pytest.raises(Exception, match="Deadlock"):
                made.run()


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("chip", ["blackhole", "wormhole"])
def test_own_words_look_at_the_new_bank_at_once(chip: str, engine: str) -> None:
    made = bench(chip, engine)
    made.tile.state.src_b_valid = [1, 1]
    made.feed(word(made, "SETRWC", clear_ab_vld=1), word(made, "MVMUL"))
    with pytest.raises(Exception, match="Deadlock"):
        made.run()
    made = bench(chip, engine)
    made.tile.state.src_a_valid = [1, 1]
    made.feed(word(made, "SETRWC", clear_ab_vld=1), word(made, "MVMUL"))
    made.run()
    assert made.issued() == [0, 1]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("chip", ["blackhole", "wormhole"])
def test_clearing_waits_until_the_bank_before_is_through(chip: str, engine: str) -> None:
    made = bench(chip, engine)
    made.feed(word(made, "SETRWC", clear_ab_vld=1))
    made.feed(*gift(made), t=0)
    made.run()
    issued = [event[0] for event in made.events if event[1] == ISSUE and event[2] == 0]
    assert issued[0] == 2 + BANK_TURNED.value  # SETRWC is issued in cycle 2


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("chip", ["blackhole", "wormhole"])
def test_a_late_clear_meets_the_move_unless_the_wait_drains(chip: str, engine: str) -> None:
    """tt-metal#53822: T0 clears the bank that T1 has filled, if T0 comes some cycles later."""
    delays = (0, 1, 2, 3, 4, 8, 20)
    without = [kept(chip, engine, n, drains=False) for n in delays]
    assert without == [n < 4 for n in delays]
    assert all(kept(chip, engine, n, drains=True) for n in delays)


def test_unpacking_and_multiplying_add_up_when_their_banks_are_out_of_step() -> None:
    """What cards show after three gifts that nobody waited for (mesham/tt-sim, 2026-08-12b)."""

    def cycles(gifts: int) -> tuple[int, int, int]:
        """Of the kernel; and for how long unpackers read and the matrix unit worked."""
        tile = Tile(clock="cycle")
        for check in ("srca-already-valid", "srcb-already-valid"):
            tile.set_policy(check, "off")
        for _ in range(gifts):
            tile.push(tile.arch.instructions["SETDVALID"].encode(setvalid=3), thread=1)
        tile.run()
        began = int(tile.state.s.clock)
        kernel = read_kernel_file(EXAMPLES / "matmul")
        load(tile, kernel)
        tile.run(watch=dict.fromkeys(kernel.done.mailboxes.values(), kernel.done.value))
        cycle = tile.state.record["cycle"]
        busy = int(cycle["fetch_cycles"].max()), int(cycle["port_cycles"][MATRIX_PORT])
        return int(tile.state.s.clock) - began, *busy

    in_step, fetching, multiplying = cycles(6)
    out_of_step, *_ = cycles(3)
    assert out_of_step > in_step + min(fetching, multiplying)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("chip", ["blackhole", "wormhole"])
def test_wait_right_behind_cleardvalid_looks_at_the_next_bank(chip: str, engine: str) -> None:
    """Else a loop of STALLWAIT, CLEARDVALID clears what nobody gave (tt-llk, perf.h)."""
    made = bench(chip, engine)
    clear = word(made, "CLEARDVALID", cleardvalid=1)
    made.feed(clear, wait_valid(made), clear)
    made.feed(*map(plain, range(40)), *gift(made), t=0)
    made.run()
    assert made.tile.state.src_a_valid.tolist() == [0, 0]


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("chip", ["blackhole", "wormhole"])
def test_a_gift_without_data_is_there_in_the_next_cycle(chip: str, engine: str) -> None:
    """Else a copy of a short face clears SrcB before it was given (tt-llk, llk_unpack_A.h)."""
    made = bench(chip, engine)
    made.tile.state.src_a_valid = [0, 0]
    made.tile.state.src_a_unpack_bank = 0
    made.feed(gift(made)[-1], t=0)
    made.feed(word(made, "SETRWC"), word(made, "MOVA2D"))
    made.run()
    at = {(event[2], event[3] >> 24): event[0] for event in made.events if event[1] == ISSUE}
    given, moved = at[0, gift(made)[-1] >> 24], at[1, word(made, "MOVA2D") >> 24]
    assert moved == given + 1


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("chip", ["blackhole", "wormhole"])
def test_a_clear_is_as_late_as_the_turn_that_the_gift_waited_for(chip: str, engine: str) -> None:
    """Else copies that waited for Dst hang: faces take three cycles (tt-llk, llk_unpack_A.h)."""
    for gap in range(6):
        made = bench(chip, engine)
        clear = word(made, "SETRWC", clear_ab_vld=1)
        made.feed(clear, *map(plain, range(gap)), clear)
        made.feed(*gift(made), t=0)
        made.run()
        assert made.tile.state.src_a_valid.tolist() == [0, 0]
        words = made.tile.state.s.arch.timing.interval[UNPACR_NOP] * (len(gift(made)) - 1)
        assert made.issued()[-1] == max(gap + 1, BANK_TURNED.value + words + 1)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("chip", ["blackhole", "wormhole"])
def test_a_clear_that_no_gift_follows_is_refused_at_once(chip: str, engine: str) -> None:
    made = bench(chip, engine)
    clear = word(made, "SETRWC", clear_ab_vld=1)
    made.feed(clear, clear)
    with pytest.raises(Exception, match="the unpackers already own it"):
        made.run()
    assert made.tile.state.s.clock == 3
