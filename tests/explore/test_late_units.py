"""Unpackers and packers that finish late: what a missing STALLWAIT on them lets happen.

The packer's race, with both parties, is a program of the corpus as well.
"""

from tilelab.explore.explorer import Explorer
from tilelab.explore.orders import explore_orders
from tilelab.explore.prepare import program_explorer
from tilelab.explore.schedule import DOCUMENTED, ISA_ONLY, Delay
from tilelab.explore.search import Exploration, explore
from tilelab.tensix.tile.tile import Tile
from tilelab.tensix.words.assembly import assemble

UNPACK = """.thread 0
ttzeroacc 3,0,0,0,0
ttseminit 2,0,2
ttunpacr_nop 1,0,0,1,0,1,0,0,1
{wait}{counters}ttsempost 2
ttnop
ttnop
ttnop
ttnop
.thread 1
ttsemwait 64,2,1
ttmovd2b 0,0,0,2,0
"""
"""Thread 0 tells thread 1 that SrcB has been given; only a STALLWAIT on the unpacker makes sure."""
DRAINED = "ttstallwait 2,4\n"
OTHER_UNPACKER = "ttstallwait 2,2\n"
COUNTERS = "ttsetadcxx 2,15,0\n"
"""That a word changes counters behind it does not mean that the unpacker is through."""


def explorer(wait: str = "", counters: str = "", *, ordered: bool = False) -> Explorer:
    text = UNPACK.format(wait=wait, counters=counters)
    return program_explorer(assemble(text, "blackhole", "x.s"), Tile(), 100_000, ordered)


def late(made: Exploration) -> Delay:
    assert made.found is not None
    (delay,) = made.found
    assert isinstance(delay, Delay)
    assert delay.late
    assert delay.reachable == ISA_ONLY  # UNPACR_NOP need not wait for L1
    return delay


def test_an_unpacker_may_be_late() -> None:
    assert explore(explorer(), 200, reachable=DOCUMENTED).found is None
    made = explore(explorer(), 200, reachable=ISA_ONLY)
    assert "x.s:4" in late(made).where
    assert made.outcome is not None
    assert made.outcome.kind == "failed check"


def test_a_wait_for_the_unpacker_is_silent() -> None:
    assert explore(explorer(DRAINED), 200, reachable=ISA_ONLY).found is None


def test_a_wait_for_either_unpacker_counts() -> None:
    # which unpacker a late word is of is not told apart
    assert explore(explorer(OTHER_UNPACKER), 200, reachable=ISA_ONLY).found is None


def test_counters_come_behind_a_late_word() -> None:
    made = explorer("", COUNTERS)
    found = explore(made, 200, reachable=ISA_ONLY)
    assert "x.s:4" in late(found).where
    end = made.tile.state.record["adc"].copy()
    made.run(())
    assert (made.tile.state.record["adc"] == end).all()


def test_every_order_includes_late_unpackers() -> None:
    assert late(explore_orders(explorer(ordered=True), 1, ISA_ONLY)).late
    assert explore_orders(explorer(DRAINED, ordered=True), 1, ISA_ONLY).complete
