"""Traces of a run under the cycle clock: JSON Lines, text, and Perfetto by its own schema."""

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from perfetto_reader import Read, Step, read_perfetto
from tilelab.cli.main import main
from tilelab.kernels.assembly_run import run_program
from tilelab.kernels.kernel_toml.file import read_kernel_file
from tilelab.kernels.run import run_kernel
from tilelab.report.breakdown import breakdown
from tilelab.sim.errors import BadInputError
from tilelab.tensix import Tile
from tilelab.tensix.cycle.events import ISSUE
from tilelab.tensix.words.assembly import assemble
from tilelab.trace.page import page as make_page
from tilelab.trace.protobuf import chunk, number, varint
from tilelab.trace.recording import Recording
from tilelab.trace.writers import (
    check_holds,
    json_bytes,
    needs_cycles,
    perfetto_bytes,
    text_bytes,
    write,
)

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture(scope="module")
def recording() -> Recording:
    tile = Tile(clock="cycle")
    made = Recording(tile, "eltwise_add")
    run_kernel(read_kernel_file(EXAMPLES / "eltwise_add"), tile)
    return made


@pytest.fixture(scope="module")
def lines(recording: Recording) -> list[dict[str, Any]]:
    return [json.loads(line) for line in json_bytes(recording).splitlines()]


def test_every_issued_word_has_a_line_with_the_functional_keys_and_more(
    recording: Recording, lines: list[dict[str, Any]]
) -> None:
    issued = [line for line in lines if line["event"] == "issue"]
    assert len(issued) == int(recording.tile.state.engine["issued"].sum())
    keys = {"cycle", "thread", "word", "assembly", "core", "pc", "mop_step", "replay_slot"}
    more = {"event", "unit", "length", "source", "line"}
    chain = {"mop_role", "mop_outer", "mop_inner", "pushed", "recorded"}
    for line in issued:
        assert keys | more | chain == set(line)
        assert line["pushed"] < line["cycle"]
        assert (line["mop_role"] is None) == (line["mop_step"] is None)
        assert (line["recorded"] is None) == (line["replay_slot"] is None)
    named = [line for line in issued if line["line"]]
    assert all(line["source"].startswith(line["line"]) for line in named)
    of_kernel = [line for line in named if line["line"].startswith("kernel.cpp:")]
    assert len(of_kernel) > 0.9 * len(issued)  # the rest is start-up code


def test_events_are_in_order_and_of_every_kind(lines: list[dict[str, Any]]) -> None:
    cycles = [line["cycle"] for line in lines]
    assert cycles == sorted(cycles)
    kinds = {"issue", "gate", "core", "depth", "semaphores", "banks", "mop", "replay", "push"}
    assert kinds <= {line["event"] for line in lines}


def test_every_issued_word_left_the_replay_expander_before(lines: list[dict[str, Any]]) -> None:
    for t in range(3):
        left = [line["word"] for line in lines if line["event"] == "replay" and line["thread"] == t]
        passed = [
            line["word"] for line in lines if line["event"] == "issue" and line["thread"] == t
        ]
        assert passed == left


def test_text_names_words_and_waits(recording: Recording) -> None:
    text = text_bytes(recording).decode()
    assert "ttelwadd" in text
    assert "-- operands" in text
    assert "TRISC0  -- " in text


def test_wire_format() -> None:
    assert varint(300) == b"\xac\x02"
    assert number(1, 150) == b"\x08\x96\x01"
    assert chunk(2, "testing") == b"\x12\x07testing"


def test_a_perfetto_trace_takes_few_bytes_for_an_event(recording: Recording) -> None:
    assert len(perfetto_bytes(recording)) < 40 * len(recording.events)


def test_perfetto_file_follows_the_official_schema(recording: Recording) -> None:
    found = read_perfetto(perfetto_bytes(recording))
    assert found.process == "eltwise_add (blackhole)"
    assert found.notes["place in the MOP"] == {
        f"{step.role}, outer {step.outer}, inner {step.inner}"
        for i in recording.indices(ISSUE)
        if (step := recording.links.place(int(i)))
    }
    assert len(found.notes["place in the MOP"]) > 1
    assert "kernel.cpp:16 → add_tiles → binary_tiles" in " ".join(found.notes["source"])
    for track, slices in found.slices.items():
        assert all(end <= recording.end + 8 for _, end in slices)
        for (_, end), (start, _) in pairwise(slices):
            assert end <= start, found.tracks[track]
    issued = [track for track, name in found.tracks.items() if name == "issued"]
    assert sum(len(found.slices[track]) for track in issued) == int(
        recording.tile.state.engine["issued"].sum()
    )
    for name in ("TRISC0", "T1 math", "MOP expander", "wait gate", "matrix_unit", "SrcA bank 0"):
        assert name in found.tracks.values()
    assert max(found.counts["input FIFO"]) > 0
    assert max(found.counts["semaphore 1"]) > 0


def arrows(found: Read) -> list[tuple[Step, Step]]:
    """What a viewer draws: events of a flow in order, until one ends it."""
    drawn = []
    going: dict[int, Step] = {}
    for step in sorted(found.steps, key=lambda step: step.clock):
        if step.flow in going:
            drawn.append((going[step.flow], step))
        going[step.flow] = step
        if step.ends:
            del going[step.flow]
    return drawn


@pytest.mark.parametrize("name", ["eltwise_add", "matmul"])
def test_perfetto_flows_lead_from_the_push_to_the_issue(name: str) -> None:
    tile = Tile(clock="cycle")
    made = Recording(tile, name)
    run_kernel(read_kernel_file(EXAMPLES / name), tile)
    found = read_perfetto(perfetto_bytes(made))
    stages = {"MOP expander": 1, "replay expander": 2, "issued": 3}
    drawn = arrows(found)
    for source, target in drawn:
        one, other = stages.get(source.track, 0), stages[target.track]
        assert other == one + 1
        assert source.clock < target.clock
        if source.name == target.name:
            continue
        assert source.name in ("MOP", "REPLAY")  # what was pushed, or emitted, became the target
    ends = [target for _, target in drawn if target.track == "issued"]
    assert len(ends) == len(made.indices(ISSUE))  # one arrow reaches every issued word
    begun = [source for source, _ in drawn if source.track.endswith(" pushes")]
    assert {step.track for step in begun} == {f"TRISC{t} pushes" for t in range(3)}
    assert any(source.name == "MOP" for source in begun)
    assert (name == "eltwise_add") == all(source.name != "REPLAY" for source, _ in drawn)


def test_perfetto_file_is_not_much_larger_than_the_page(recording: Recording) -> None:
    report = breakdown(recording.tile.state).as_dict()
    pages = len(make_page(recording, report))
    assert len(perfetto_bytes(recording)) < pages
    words = "ttincrwc 0,2,0,0", "ttincrwc 0,1,0,0", "ttincrwc 0,4,0,0"
    registers = (100, 100, *["{ ttnop }"] * 3, *(f"{{ {words[i]} }}" for i in (0, 1, 2, 0)))
    lines = [f".mopcfg {i}, {value}" for i, value in enumerate(registers)]
    tile = Tile(clock="cycle")
    large = Recording(tile, "large")
    program = assemble("\n".join([*lines, "ttmop 1,0,0"]), "blackhole", "large.s")
    run_program(program, tile, 1_000_000)
    assert len(large.events) > 60_000
    report = breakdown(tile.state).as_dict()
    assert len(perfetto_bytes(large)) < 5 * len(make_page(large, report))


def test_perfetto_names_the_kernel(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "trace.pftrace"
    assert main(["run", str(EXAMPLES / "matmul"), "--trace", str(path)]) == 0
    assert read_perfetto(path.read_bytes()).process == "matmul (blackhole)"


@pytest.mark.parametrize("suffix", [".pftrace", ".txt", ".jsonl"])
def test_suffix_chooses_the_writer(
    suffix: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / f"trace{suffix}"
    assert main(["run", str(EXAMPLES / "datacopy"), "--trace", str(path)]) == 0
    assert needs_cycles(path) == (suffix != ".jsonl")
    data = path.read_bytes()
    if suffix == ".jsonl":
        assert "event" not in json.loads(data.splitlines()[0])  # functional clock
    elif suffix == ".txt":
        assert b"--" in data
    else:
        assert data[0] == 0x0A


def test_json_lines_of_the_cycle_clock(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "trace.jsonl"
    assert main(["run", "--cycles", str(EXAMPLES / "datacopy"), "--trace", str(path)]) == 0
    assert all("event" in json.loads(line) for line in path.read_text().splitlines())


def test_perfetto_holds_one_run(recording: Recording, tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="one run"):
        check_holds(tmp_path / "x.pftrace", 2)


def test_file_that_cannot_be_written(recording: Recording) -> None:
    with pytest.raises(BadInputError, match="/nonexistent/x"):
        write(recording, Path("/nonexistent/x.txt"))
