"""What a chip's time depends on: parts of NoC and DRAM made faster, and what bounds a program."""

import json
from pathlib import Path

import pytest

from chip_program import ATOMIC, BRISC, CHIPS, DRAM, INCREMENT, at, boot, counter, request
from chip_program import wait_register as wait
from chip_traffic import recording
from tilelab.chip.chip import Chip
from tilelab.chip.faster import PARTS, suppose_chip
from tilelab.chip.ways import ways_between
from tilelab.cli.main import main
from tilelab.report.what_if import parse_what_if
from tilelab.sim.errors import BadInputError
from tilelab.tensix.noc import niu as n
from tilelab.tensix.tables.layout import Place
from tilelab.trace.chip.bounds import bounds
from tilelab.trace.chip.recorded import ChipRecorded
from timed_chip import KIB, LINE, reads, writes

EACH = pytest.mark.parametrize("chip", CHIPS)


def ran(chip: str, what: dict[Place, list[int]], what_if: str = "") -> ChipRecorded:
    """Tiles of a line that run programs, supposing that something is faster."""
    made = Chip(chip, LINE[chip], clock="cycle")
    if what_if:
        suppose_chip(made, parse_what_if(what_if, PARTS))
    kept = ChipRecorded(made)
    for own, words in what.items():
        boot(made, own, {BRISC: words})
    assert made.run(1_000_000)
    return kept


@EACH
def test_only_what_a_program_waits_for_makes_it_faster(chip: str) -> None:
    own, there = LINE[chip][:2]
    streams = {
        "dram_channel": reads(chip, own, DRAM[chip], 4 * KIB, 64),
        "links": writes(chip, own, there, 8 * KIB, 32),
        "hops": reads(chip, own, there, 64, 1),
    }
    for name, words in streams.items():
        usual = ran(chip, {own: words}).end
        assert ran(chip, {own: words}, f"{name}=1x").end == usual
        twice = ran(chip, {own: words}, f"{name}=2x").end
        assert ran(chip, {own: words}, f"{name}=free").end <= twice < usual - 40
    usual = ran(chip, {own: streams["links"]}).end
    assert ran(chip, {own: streams["links"]}, "links=2x").end == pytest.approx(usual / 2, rel=0.2)
    assert ran(chip, {own: streams["links"]}, "dram=free,atomics=free").end == usual


@EACH
def test_atomics_that_take_no_time_take_no_turns(chip: str) -> None:
    target, senders = LINE[chip][0], LINE[chip][1:4]
    made = Chip(chip, LINE[chip], clock="cycle")
    ends = []
    for text in ("atomics=1x", "atomics=free"):
        what = {}
        for own in senders:
            one = request(made.arch, ATOMIC, (0xA000, at(target)), (0xB000, at(own)), INCREMENT, 1)
            what[own] = [*one * 8, *wait(counter(0, n.ATOMIC_RESPONSES), 8)]
        kept = ran(chip, what, text)
        ends.append(kept.requests["queue"].sum())
        assert int.from_bytes(kept.chip.read(target, 0xA000, 4), "little") == 24
    assert ends[0] > ends[1] == 0


@EACH
def test_everything_free_leaves_what_it_left(chip: str) -> None:
    own, there = LINE[chip][:2]
    every = ",".join(f"{part}=free" for part in PARTS)
    words = [*reads(chip, own, DRAM[chip], 64, 4), *writes(chip, own, there, 64, 4)]
    usual, free = ran(chip, {own: words}), ran(chip, {own: words}, every)
    assert usual.chip.read(there, 0x40000, 64) == free.chip.read(there, 0x40000, 64)
    assert free.requests["took"].max() <= 3
    assert free.end < usual.end - 400


def test_a_chip_without_the_cycle_clock_has_no_what_if() -> None:
    with pytest.raises(BadInputError, match="needs the cycle clock"):
        suppose_chip(Chip("blackhole", LINE["blackhole"][:1]), parse_what_if("noc=2x", PARTS))
    with pytest.raises(BadInputError, match=r"is none of unpack, .*dram"):
        parse_what_if("fidelity=LoFi", PARTS)


@EACH
def test_a_program_is_bound_by_what_its_last_tile_waits_for(chip: str) -> None:
    """Large reads by DRAM's channel."""
    one, two = LINE[chip][:2]
    kept = ran(chip, {own: reads(chip, own, DRAM[chip], 4 * KIB, 16) for own in (one, two)})
    (found,) = bounds(kept).programs
    assert found.path[0] == f"tile {found.place[0]},{found.place[1]} ends last"
    assert "BRISC waits" in found.path[1]
    assert "for DRAM bank 0 (its queue" in found.path[1]
    assert "its channel has" in found.path[2]
    assert found.low < kept.end < found.high


def test_small_reads_are_bound_by_how_many_dram_accepts() -> None:
    chip = "blackhole"
    kept = ran(chip, {own: reads(chip, own, DRAM[chip], 32, 100) for own in LINE[chip]})
    (found,) = bounds(kept).programs
    assert "it accepts a read every" in found.path[2]


@EACH
def test_ways_between_places_are_those_that_a_packet_takes(chip: str) -> None:
    own, there = LINE[chip][0], LINE[chip][3]
    kept = ran(chip, {own: writes(chip, own, there, 64, 1)})
    c = kept.chip.c
    start, end = (int(c.physical_at[x | y << 6]) for x, y in (own, there))
    expected = ways_between(kept.chip.arch, 0, start, end)
    assert all(c.way_busy[k] for k in expected)
    back = ways_between(kept.chip.arch, 0, end, start)
    assert all(c.way_busy[k] for k in back)  # its acknowledgement
    assert len(expected) + len(back) == kept.chip.arch.noc.width + 2


def test_the_command_replays_with_what_is_faster(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "own.txt"
    path.write_text(recording("blackhole"))
    what = ["--what-if", "dram=free", "--what-if", "noc=2x,load=free"]
    assert main(["run", str(path), "--cycles", *what]) == 0
    said = capsys.readouterr().out
    assert "tile 1,2 ends last" in said
    assert "  what if\n    dram=free: " in said
    assert "; on a card " in said
    assert main(["run", str(path), "--cycles", "--json", *what]) == 0
    document = json.loads(capsys.readouterr().out)
    dram, noc = document["what_if"]
    assert document["low"] <= document["cycles"] <= document["high"]
    assert noc["cycles"] < document["cycles"] > dram["cycles"] >= dram["low"]
    assert document["programs"][0]["bound"]["path"]
    for wrong in ("fidelity=LoFi", "dram=0x", "placement=best"):
        assert main(["run", str(path), "--cycles", "--what-if", wrong]) == 2
    assert main(["run", str(path), "--what-if", "dram=free"]) == 2
