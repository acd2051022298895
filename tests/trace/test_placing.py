"""Advice on placement: tiles elsewhere share links less, and a replay says what that is worth."""

from pathlib import Path

import pytest

from chip_program import BRISC, boot, counter, request
from chip_program import at as coordinates
from chip_program import wait_register as wait
from chip_traffic import recording
from tilelab.chip.chip import Chip
from tilelab.cli.main import main
from tilelab.sim.errors import BadInputError
from tilelab.tensix.arch import arch
from tilelab.tensix.noc import niu as n
from tilelab.trace.chip.placing import advice, better_places, move
from tilelab.trace.chip.recorded import ChipRecorded
from timed_chip import KIB, LINE, writes

CHIP = "blackhole"


def ran(places: dict[int, int]) -> ChipRecorded:
    """Two tiles that write over the same links, to tiles further on."""
    a, b, c, d = LINE[CHIP][:4]
    made = Chip(CHIP, LINE[CHIP], clock="cycle")
    move(made, places)
    kept = ChipRecorded(made)
    for own, there in ((a, c), (b, d)):
        boot(made, own, {BRISC: writes(CHIP, own, there, 8 * KIB, 12)})
    assert made.run(1_000_000)
    return kept


def test_tiles_that_share_a_link_are_better_elsewhere() -> None:
    usual = ran({})
    better = better_places(usual)
    again = ran(better)
    assert again.end < 0.7 * usual.end
    there = LINE[CHIP][3]
    assert usual.chip.read(there, 0x40000, 64) == again.chip.read(there, 0x40000, 64)
    said = advice(usual, better)
    assert said[0].startswith("the work of tile ")
    assert better_places(usual) == better


def test_multicasts_are_not_placed() -> None:
    own, *others = LINE[CHIP]
    made = Chip(CHIP, LINE[CHIP], clock="cycle")
    kept = ChipRecorded(made)
    ret = coordinates(others[-1], others[0])
    words = request(
        arch(CHIP),
        n.WRITE | n.RESPONSE | n.BROADCAST,
        (0x4000, coordinates(own)),
        (0x9000, ret),
        64,
    )
    boot(made, own, {BRISC: [*words, *wait(counter(0, n.WRITE_ACKS), len(others))]})
    assert made.run(100_000)
    with pytest.raises(BadInputError, match="multicasts"):
        better_places(kept)


def test_the_command_advises(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "own.txt"
    path.write_text(recording(CHIP))
    assert main(["run", str(path), "--cycles", "--what-if", "placement=better"]) == 0
    assert "placement=better: " in capsys.readouterr().out
