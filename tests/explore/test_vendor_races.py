"""The races of tt-metal#53394 that depend on when a word comes, each as a small program.

The undisturbed run is right in each, so no check of that run can tell; a schedule does. The
vendor's own kernels are run by hand (docs/vendor-races.md).
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from faulty.harness import PROGRAMS, read
from tilelab.explore.claim_lists import Claim
from tilelab.explore.claims import BOUND, ORDERED, REPRODUCER, Claims
from tilelab.explore.explorer import Explorer
from tilelab.explore.prepare import kernel_explorer, program_explorer
from tilelab.explore.schedule import (
    Delay,
    Priorities,
    lines,
    read_schedule,
    write_schedule,
)
from tilelab.explore.search import explore
from tilelab.tensix.chips.config_registers import config_fields
from tilelab.tensix.tile.tile import Tile
from tilelab.tensix.words.assembly import assemble

BUDGET = 600
"""Schedules in which each is found, and with the fix none is."""
SOURCE = 0x1000
"""Where in L1 the unpacker of ``late_unpack`` reads."""


@dataclass(frozen=True)
class Race:
    """A program in which ``{fix}`` is a word that keeps two others in order."""

    stands_for: str
    text: str
    fix: str
    where: str
    """The place of the delay that is found."""
    ends: str
    """How that schedule ends."""
    late: bool = False
    """A word is through late, and no one waits at a gate."""


RACES = {
    "move_before_the_dummy_unpack": Race(
        "tt-metal#53412, mul_reduce_scalar: the moves to Src wait for no bank",
        """.thread 0
ttzeroacc 3,0,0,1,0
ttunpacr_nop 0,0,0,1,0,1,0,0,1
ttunpacr_nop 1,0,0,1,0,1,0,0,1
.thread 1
sfploadi L0,16256,0
sfpstore L0,0,0,0
ttstallwait 64,2048
ttnop
ttnop
{fix}ttmovd2a 0,0,0,2,0
ttelwadd 3,0,0,0,0
""",
        "ttstallwait 64,144\n",
        "x.s:3",
        "failed check",  # src-not-valid: MOVD2A writes the unpackers' bank
    ),
    "clear_before_the_dummy_valid": Race(
        "tt-metal#53413, #53418, generalized_moe_gate: banks are cleared that T0 has not given yet",
        """.thread 0
ttzeroacc 3,0,0,1,0
ttunpacr_nop 0,0,0,1,0,1,0,0,1
ttunpacr_nop 1,0,0,1,0,1,0,0,1
.thread 1
ttnop
ttnop
ttnop
ttnop
ttnop
ttnop
{fix}ttsetrwc 3,0,0,0,0,15
""",
        "ttstallwait 64,384\n",
        "x.s:3",
        "failed check",
    ),
    "late_unpack": Race(
        "tt-metal#42974: the source is overwritten before the unpacker has read it",
        """.thread 0
ttseminit 2,0,2
ttunpacr 1,0,0,0,0,0,1,0,0,0,0,0,1
{fix}ttsempost 2
.thread 2
ttsetdmareg 0,256,0,8
ttsetdmareg 0,16256,0,16
ttsetdmareg 0,16256,0,17
ttstallwait 32,1
ttsemwait 32,2,1
ttstoreind 1,0,1,0,0,8,4
""",
        "ttstallwait 2,4\n",
        "x.s:3",
        "done",
        late=True,
    ),
}


def set_up_unpacker(tile: Tile) -> None:
    """Have unpacker 1 read 16 bf16 data at SOURCE."""
    state = tile.state
    state.set_config_field("THCON_SEC1_REG2_Out_data_format", 5)
    state.set_config_field("THCON_SEC1_REG3_Base_address", SOURCE // 16 - 1)
    word = config_fields(tile.arch.name)["THCON_SEC1_REG0_TileDescriptor"].word
    state.record["config"][0, word] = 5 | 1 << 4 | 16 << 16
    state.record["config"][0, word + 1] = 1 | 1 << 16
    state.s.adc[0][1].x[1] = 15


def explorer(name: str, *, fixed: bool) -> Explorer:
    race = RACES[name]
    tile = Tile("blackhole")
    set_up_unpacker(tile)
    text = race.text.format(fix=race.fix if fixed else "")
    return program_explorer(assemble(text, "blackhole", "x.s"), tile, 100_000)


@pytest.mark.parametrize("name", RACES)
def test_it_is_found_and_replays(name: str, tmp_path: Path) -> None:
    race = RACES[name]
    faulty = explorer(name, fixed=False)
    assert faulty.base.kind == "done"
    made = explore(faulty, BUDGET)
    assert made.found is not None
    assert not isinstance(made.found, Priorities)
    (delay,) = made.found
    assert isinstance(delay, Delay)
    assert race.where in delay.where
    assert bool(delay.late) is race.late
    assert made.outcome is not None
    assert made.outcome.kind == race.ends
    write_schedule(tmp_path / "s.json", name, made.found)
    again = faulty.run(read_schedule(tmp_path / "s.json"))
    assert again.differs(faulty.base)


@pytest.mark.parametrize("name", RACES)
def test_with_the_fix_none_is(name: str) -> None:
    assert explore(explorer(name, fixed=True), BUDGET).found is None


@pytest.mark.parametrize("name", RACES)
def test_what_is_claimed_of_its_line_is_reproduced_and_not_with_the_fix(name: str) -> None:
    claim = Claim(RACES[name].where)
    assert Claims(explorer(name, fixed=False)).answer(claim).kind == REPRODUCER
    assert Claims(explorer(name, fixed=True)).answer(claim).kind in (BOUND, ORDERED)


def test_the_late_unpack_reads_what_came_behind_it() -> None:
    faulty = explorer("late_unpack", fixed=False)
    found = explore(faulty, BUDGET).found
    assert found is not None
    faulty.run(())
    right = np.array(faulty.tile.state.src_b)
    faulty.run(found)
    assert not np.any(right)
    assert np.any(np.array(faulty.tile.state.src_b))


CONTEXT = "context_reused"
"""tt-metal#55184, hadamard: a core that may be two contexts ahead uses one of them."""


def core_ahead(folder: Path, *, healthy: bool) -> Explorer:
    """That program of the corpus; the core takes longer, so that it is not ahead by itself."""
    program = read(PROGRAMS / f"{CONTEXT}.cpp")
    text = "\n".join(program.lines(healthy)).replace("n < 40", "n < 80") + "\n"
    return kernel_explorer(program.kernel(text, folder), Tile(program.arch), 100_000)


def test_a_core_that_overtakes_its_unpacker_is_found(tmp_path: Path) -> None:
    faulty = core_ahead(tmp_path, healthy=False)
    made = explore(faulty, 2500)
    assert made.found is not None
    assert not isinstance(made.found, Priorities)
    (line,) = lines(made.found)
    assert line.startswith("T0 waits")
    assert "ttstallwait 8," in line  # the wait in front of the unpack


def test_a_core_that_waits_for_its_unpacker_is_not(tmp_path: Path) -> None:
    assert explore(core_ahead(tmp_path, healthy=True), 2500).found is None
