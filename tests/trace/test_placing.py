"""Advice on placement: tiles elsewhere share links less, and a replay says what that is worth."""

import json
from pathlib import Path

import pytest

from chip_program import BRISC, boot, counter, request
from chip_program import at as coordinates
from chip_program import wait_register as wait
from chip_traffic import recording
from local_cluster import two_workers
from tilelab.chip.chip import Chip
from tilelab.cli.main import main
from tilelab.sim.errors import BadInputError
from tilelab.tensix.arch import arch
from tilelab.tensix.noc import niu as n
from tilelab.trace.chip.placing import advice, better_places, move, shuffled_places
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


def test_placements_are_swept_here_and_on_a_cluster(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "own.txt"
    path.write_text(recording(CHIP))
    command = ["run", str(path), "--cycles", "--json", "--what-if", "placement=1..3"]
    assert main([*command, "--what-if", "dram=2x"]) == 0
    here = json.loads(capsys.readouterr().out)
    texts = [one["text"] for one in here["what_if"]]
    assert texts == ["placement=1", "placement=2", "placement=3", "dram=2x"]
    assert all(one["cycles"] for one in here["what_if"])
    with two_workers() as cluster:
        assert main([*command, "--what-if", "dram=2x", "--cluster", cluster.scheduler_address]) == 0
    assert json.loads(capsys.readouterr().out) == here


def test_shuffles_are_the_same_again() -> None:
    usual = ran({})
    places = shuffled_places(usual, 1)
    assert shuffled_places(usual, 1) == places
    assert shuffled_places(usual, 2) != places
    assert sorted(places.values()) == sorted(int(usual.chip.c.physical_at[t]) for t in places)
    assert ran(places).end != usual.end


@pytest.mark.parametrize("text", ["placement=best", "placement=4..1", "placement=0..1000"])
def test_other_placements_are_refused(text: str, tmp_path: Path) -> None:
    path = tmp_path / "own.txt"
    path.write_text(recording(CHIP))
    assert main(["run", str(path), "--cycles", "--what-if", text]) == 2
