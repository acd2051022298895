"""Both clocks leave the same results, of whatever waits as the manual asks.

TILELAB_PROGRAMS says how many random programs are run for each chip.
"""

import os
from collections import Counter

import pytest
from src_programs import CHIPS, Writer, boot, configure

from cycle_harness import adds_up
from tilelab.sim.checks import CHECKS
from tilelab.tensix.run import rounds
from tilelab.tensix.state import NOT_ARCHITECTURE
from tilelab.tensix.tile.tile import Tile

PROGRAMS = int(os.environ.get("TILELAB_PROGRAMS", "24"))
CLOCKS = 200_000
KINDS = ("UNPACR", "UNPACR_NOP", "SETDVALID", "STOREIND", "STALLWAIT", "SEMWAIT")
KINDS += ("MVMUL", "ELWADD", "MOVA2D", "MOVB2D", "SETRWC", "CLEARDVALID", "ADDDMAREG")
TIMED = (*NOT_ARCHITECTURE, "clock", "riscv", "frontend")


def run(
    chip: str, clock: str, programs: tuple[list[int], ...], engine: str = "reference"
) -> tuple[Tile, str]:
    """A tile whose threads have had these words, when nothing more happens; and why it stopped."""
    tile = Tile(chip, engine=engine, clock=clock)
    configure(tile)
    boot(tile, programs)
    code = tile.engine.rounds(CLOCKS)
    return tile, CHECKS[code].name if code > 0 else str(code)


def results(tile: Tile) -> dict[str, bytes]:
    """What a program leaves of the architecture and in L1.

    Not what says when that was: clocks, the cores' own state, slots of queues that are empty.
    """
    record = tile.state.record
    names = [n for n in record.dtype.names or () if not n.startswith(TIMED)]
    return {"L1": tile.state.l1.tobytes()} | {name: record[name].tobytes() for name in names}


def both(chip: str, programs: tuple[list[int], ...], what: str, engine: str = "reference") -> Tile:
    """Run threads' words to their end under both clocks: everything is issued, nothing differs.

    Returns the tile of the cycle clock.
    """
    (functional, ended), (cycles, ended_too) = (
        run(chip, clock, programs, engine) for clock in ("functional", "cycle")
    )
    assert (ended, ended_too) == (str(rounds.STOP_STUCK),) * 2, what
    left, expected = results(cycles), results(functional)
    assert not [name for name in expected if left[name] != expected[name]], what
    issued = cycles.state.frontend["issued"][: len(programs)].tolist()
    assert issued == [len(words) for words in programs], what
    return cycles


@pytest.mark.parametrize("chip", CHIPS)
def test_random_programs_leave_the_same_under_both_clocks_and_their_causes_add_up(
    chip: str,
) -> None:
    made: Counter[str] = Counter()
    for seed in range(PROGRAMS):
        writer = Writer(chip, seed)
        adds_up(both(chip, writer.program(), f"{chip} program {seed}"))
        made += writer.made
    assert not {name for name in KINDS if made[name] < PROGRAMS / 4}, made


@pytest.mark.parametrize("engine", ["reference", "fast"])
@pytest.mark.parametrize("unpacker", [0, 1])
@pytest.mark.parametrize("chip", CHIPS)
def test_a_bank_that_is_on_its_way_is_not_cleared_and_given_again(
    chip: str, unpacker: int, engine: str
) -> None:
    """UNPACR's gift takes as long as its fetch; the UNPACR_NOP behind it clears the other bank."""
    writer = Writer(chip, 0)
    clear = writer.clear(unpacker, 1, like_unpacr=1)
    fill = [*writer.unpack(unpacker, 1), *clear, *clear]
    use = [writer.bank_wait(2 + unpacker), writer.word("SETRWC", clear_ab_vld=1 << unpacker)]
    both(chip, (fill, use * 3), f"{chip}, unpacker {unpacker}", engine)


@pytest.mark.parametrize("chip", CHIPS)
def test_a_gift_of_a_bank_that_is_on_its_way_fails_its_check(chip: str) -> None:
    writer = Writer(chip, 0)
    give = writer.word("SETDVALID", setvalid=1)
    fill = [*writer.unpack(0, 1), *writer.unpack(0, 1), give]
    assert run(chip, "functional", (fill,))[1] == "srca-already-valid"
    assert run(chip, "cycle", (fill,))[1] == "srca-already-valid"


@pytest.mark.parametrize("chip", CHIPS)
def test_a_reset_of_the_banks_drops_what_is_on_its_way(chip: str) -> None:
    writer = Writer(chip, 0)
    reset = writer.word("CLEARDVALID", reset=1)
    for clock in ("functional", "cycle"):
        tile = Tile(chip, engine="reference", clock=clock)
        configure(tile, "cleardvalid-reset")
        boot(tile, ([*writer.unpack(0, 1), reset],))
        assert tile.engine.rounds(CLOCKS) == rounds.STOP_STUCK
        assert tile.state.src_a_valid.tolist() == [0, 0]
