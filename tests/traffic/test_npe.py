"""tt-npe's traces: read, replayed with their own times, and written of what a timed chip did."""

import json
from pathlib import Path
from typing import Any

import pytest

from chip_program import BRISC, CHIPS, DRAM, boot
from tilelab.chip.chip import Chip
from tilelab.cli.main import main
from tilelab.sim.errors import BadInputError
from tilelab.trace.chip.field import write_npe
from tilelab.trace.chip.recorded import ChipRecorded
from tilelab.traffic.npe import RECORDED, Barrier, read_npe_trace, replay_npe
from timed_chip import KIB, LINE, reads, writes

EACH = pytest.mark.parametrize("chip", CHIPS)


def event(kind: str, at: int, there: tuple[int, int] = (-1, -1), **more: Any) -> dict[str, Any]:
    made = {"proc": "NCRISC", "noc": "NOC_0", "vc": -1, "sx": 1, "sy": 2, "type": kind}
    return made | {"dx": there[0], "dy": there[1], "num_bytes": 0, "timestamp": at} | more


def saved(tmp_path: Path, events: list[dict[str, Any]]) -> Path:
    path = tmp_path / "noc.json"
    path.write_text(json.dumps(events))
    return path


def barriers(tmp_path: Path, chip: str, events: list[dict[str, Any]]) -> list[Barrier]:
    trace = read_npe_trace(saved(tmp_path, events))
    return replay_npe(trace, Chip(chip, clock="cycle")).barriers


@EACH
def test_a_barrier_waits_for_the_requests_before_it(chip: str, tmp_path: Path) -> None:
    """A read of 64 bytes from a neighbour is one way round the torus."""
    around = [event("READ_BARRIER_START", 1100), event("READ_BARRIER_END", 1400)]
    near = event("READ", 1000, (2, 2), num_bytes=64)
    (one,) = barriers(tmp_path, chip, [near, *around])
    times = Chip(chip).arch.noc_times
    ring = times.hop.value * Chip(chip).arch.noc.width
    assert one.waited == 300
    assert ring < one.predicted - RECORDED + 100 < ring + 60
    (large,) = barriers(tmp_path, chip, [near | {"num_bytes": 40 * KIB}, *around])
    assert large.predicted - one.predicted > 40 * KIB / times.flit_bytes.value
    idle = [event("WRITE_BARRIER_START", 1100), event("WRITE_BARRIER_END", 1180)]
    found = barriers(tmp_path, chip, [near, *around, *idle])
    assert [one.predicted for one in found if one.kind == "WRITE"] == [RECORDED]


def test_every_kind_of_request_is_made(tmp_path: Path) -> None:
    """With a state that was set before, to many, to DRAM and by either NoC."""
    trace = read_npe_trace(
        saved(
            tmp_path,
            [
                event("READ_SET_STATE", 1, (0, 1), num_bytes=512),
                event("READ_WITH_STATE", 2),
                event("WRITE_", 3, (0, 1), num_bytes=64, noc="NOC_1"),
                event("WRITE_INLINE", 4, (2, 2)),
                event("SEMAPHORE_INC", 5, (2, 2)),
                event(
                    "WRITE_MULTICAST", 6, num_bytes=64, mcast_start_x=2, mcast_start_y=2,
                    mcast_end_x=4, mcast_end_y=2,
                ),
                event("SEMAPHORE_WAIT", 7),
                {"proc": "NCRISC", "zone": "NCRISC-KERNEL", "zone_phase": "end", "sx": 1, "sy": 2,
                 "timestamp": 9},
            ],
        )
    )  # fmt: skip
    assert trace.others == {"SEMAPHORE_WAIT": 1}
    assert [one.count for one in trace.requests] == [512, 64, 4, 4, 64]
    chip = Chip("wormhole", clock="cycle")
    replay_npe(trace, chip)
    assert chip.requests == 5
    assert int.from_bytes(chip.read((19, 18), 0x10000, 4), "little") <= 1


@pytest.mark.parametrize(
    ("events", "reason"),
    [
        ([event("READ", 1, (99, 1), num_bytes=64)], "has nothing at 99,1"),
        ([event("READ", 1, (2, 2), num_bytes=64, sx=0)], "no Tensix tile at 0,2"),
        ([event("READ_WITH_STATE", 1)], "without a state"),
        ([event("READ", 1, (2, 2), num_bytes=64, proc="X")], "no core is called X"),
        ([event("READ", 1, (2, 2), num_bytes=64, dst_device_id=3)], "another chip"),
        ([event("SEMAPHORE_WAIT", 1)], "nothing that is modelled"),
        ([{"proc": "BRISC", "sx": 1, "type": "READ"}], "without what it needs"),
    ],
)
def test_a_trace_that_cannot_be_replayed_is_bad_input(
    events: list[dict[str, Any]], reason: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = saved(tmp_path, events)
    with pytest.raises(BadInputError, match=reason):
        replay_npe(read_npe_trace(path), Chip("wormhole", clock="cycle"))
    assert main(["run", "--arch", "wormhole", str(path)]) == 2
    assert len(capsys.readouterr().err.splitlines()) == 1


@EACH
def test_what_a_timed_chip_did_is_written_and_takes_as_long_again(
    chip: str, tmp_path: Path
) -> None:
    own, there = LINE[chip][:2]
    made = Chip(chip, LINE[chip], clock="cycle")
    kept = ChipRecorded(made)
    words = [*reads(chip, own, DRAM[chip], 4 * KIB, 8), *writes(chip, own, there, KIB, 4)]
    boot(made, own, {BRISC: words})
    assert made.run(1_000_000)
    path = tmp_path / "own.json"
    with path.open("w") as file:
        write_npe(kept, file)
    events = json.loads(path.read_text())
    kinds = [one["type"] for one in events if "type" in one]
    assert kinds == ["READ"] * 8 + ["WRITE_"] * 4
    assert [one["zone_phase"] for one in events if "zone" in one] == ["begin", "end"]
    trace = read_npe_trace(path)
    assert [one.at for one in trace.requests] == sorted(kept.requests["clock"].tolist())
    again = replay_npe(trace, Chip(chip, clock="cycle"))
    took = int(
        (kept.requests["clock"] + kept.requests["took"]).max() - kept.requests["clock"].min()
    )
    assert again.cycles == pytest.approx(took + RECORDED, abs=3)


def test_the_command_compares_waits(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    around = [event("READ_BARRIER_START", 1100), event("READ_BARRIER_END", 1300)]
    path = saved(tmp_path, [event("READ", 1000, (2, 2), num_bytes=64), *around])
    assert main(["run", "--arch", "wormhole", str(path), str(path)]) == 0
    said = capsys.readouterr().out
    assert "noc.json: wormhole, 1 requests of 1 tile, " in said
    assert "1 barriers, median wait: 200 cycles as recorded, " in said
    assert "median wait within 20 % in " in said
    what = ["--cycles", "--what-if", "hops=free", "--json"]
    assert main(["run", "--arch", "wormhole", str(path), *what]) == 0
    (document,) = json.loads(capsys.readouterr().out)["traces"]
    assert document["recorded"] == 200
    assert document["what_if"][0]["cycles"] < document["cycles"]
    assert main(["run", str(path), "--trace", "x.json"]) == 2
    assert main(["run", str(path), "examples/matmul"]) == 2
