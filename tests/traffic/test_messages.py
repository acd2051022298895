"""Traces of a simulation server's messages: of our own firmware, and other people's."""

import os
from pathlib import Path

import pytest

from chip_program import DRAM, PLACES, SOFT_RESET
from chip_traffic import DONE, NUMBERS, SOURCE, SUM, firmware, words
from tilelab.check.chip.run import checked_recording
from tilelab.cli.main import main
from tilelab.sim.errors import BadInputError
from tilelab.tensix.arch import ARCHES
from tilelab.traffic.calls import read_any
from tilelab.traffic.messages import physical_places, read_messages
from tilelab.traffic.recording import replay
from tilelab.traffic.sniff import is_recording

CHECKOUT = os.environ.get("TILELAB_TT_SIM")
HOW = "set TILELAB_TT_SIM to a checkout of mesham/tt-sim"
TRACES = "driver/wormhole/server/traces"
PROGRAMS = (
    "eight", "five", "five-fp", "four", "four-fp", "loopback", "matmulblock", "matmulidx", "nine",
    "noc_tile_transfer", "one", "pipestall", "reduce", "reduceneg", "sfpumath", "six", "softplus",
    "three", "tilize", "transpose", "two", "untilize", "untilize_fp32",
)  # fmt: skip
"""All of Wormhole's that the checkout has."""
NUMBER_BYTES = {"reduce": 2, "reduceneg": 2, "sfpumath": 4, "softplus": 2}
"""Of these it keeps what the vendor's simulator gave, as numbers of so many bytes."""


def trace(chip: str, last: int = 1) -> str:
    """What a host would say to a server to run our firmware, and the answers; coordinates are
    physical."""
    known = physical_places(ARCHES[chip])
    x, y = next(there for there, place in known.items() if place == PLACES[chip][0])
    dx, dy = DRAM[chip]
    tile, dram = f"core={x},{y}", f"core={dx},{dy}"
    results = [value + last for value in NUMBERS]
    return f"""\
# a comment
RESET_ASSERT {tile} addr=0x0 size=4 data=00000000
READ {tile} addr={SOFT_RESET:#x} size=4 data=- reply={words([0x47800])}
WRITE {tile} addr=0x0 size=4 data={words(firmware(chip))}
WRITE {dram} addr={SOURCE:#x} size=16 data={words(NUMBERS)}
RESET_DEASSERT {tile} addr=0x0 size=4 data=00000000
READ {tile} addr={DONE:#x} size=4 data=- reply=00000000
READ {tile} addr={DONE:#x} size=4 data=- reply={words([0xC0DE])}
READ {dram} addr={SUM:#x} size=16 data=- reply={words(results)}
EXIT core=0,0 addr=0x0 size=0 data=-
"""


@pytest.mark.parametrize("chip", ["blackhole", "wormhole"])
def test_messages_are_replayed(chip: str, tmp_path: Path) -> None:
    path = tmp_path / "own.trace"
    path.write_text(trace(chip).partition("\n")[2])
    assert is_recording(path)
    recording = read_any(path)
    assert recording.arch == chip
    assert recording.tiles == PLACES[chip][:1]
    made = replay(read_messages("own", trace(chip).splitlines()))
    assert made.passed
    assert made.events == {"W": 4, "R": 2, "P": 1}
    assert main(["run", str(path)]) == 0
    path.write_text(trace(chip, last=2).partition("\n")[2])
    assert main(["run", str(path)]) == 1


@pytest.mark.parametrize(
    ("lines", "problem"),
    [
        ("WRITE core=1 addr=0x0 size=4 data=00", "line 1: 'WRITE core=1 .* is no message"),
        ("WRITE core=1,1 addr=0x0 size=4 data=0", "is no message"),
        ("READ core=1,1 addr=0x0 size=4 data=-", "is no message"),
        ("WRITE core=1,1 size=4 data=00", "is no message"),
        ("NOP core=1,1", "is no message"),
        ("WRITE core=60,60 addr=0x0 size=4 data=00", "no chip has tiles at all of the 1 places"),
        ("EXIT core=0,0 addr=0x0 size=0 data=-", "no chip has tiles at all of the 0 places"),
    ],
)
def test_bad_messages_are_refused(lines: str, problem: str) -> None:
    with pytest.raises(BadInputError, match=problem):
        read_messages("bad", lines.splitlines())


@pytest.mark.parametrize("name", PROGRAMS)
def test_public_programs_reply_as_recorded(name: str) -> None:
    if CHECKOUT is None:
        pytest.skip(HOW)
    folder = Path(CHECKOUT) / TRACES
    recording = read_any(folder / f"{name}.trace")
    assert recording.arch == "wormhole"
    made = replay(recording)
    assert made.passed, str(made.differences[0])
    assert made.events["P"] >= 1
    assert made.requests
    if size := NUMBER_BYTES.get(name):
        found = max((event.data for event in recording.events if event.kind == "R"), key=len)
        numbers = [found[i : i + size][::-1].hex() for i in range(0, len(found), size)]
        assert "".join(numbers) == (folder / f"{name}.expected").read_text().strip()


FOUND = dict.fromkeys(("five", "five-fp", "four", "four-fp", "nine", "loopback"), "race-l1")
FOUND["transpose"] = "src-bank-turning"
"""What the checker finds, and docs/check-chip.md explains: pages shorter than the tile that is
unpacked, and tt-metal#55106."""


@pytest.mark.parametrize("name", PROGRAMS)
def test_public_programs_are_silent_under_the_checker_or_explained(name: str) -> None:
    if CHECKOUT is None:
        pytest.skip(HOW)
    found, _warned = checked_recording(read_any(Path(CHECKOUT) / TRACES / f"{name}.trace"))
    assert found.result is not None
    assert found.result.passed
    assert {one.check for one in found.findings} == ({FOUND[name]} if name in FOUND else set())


def test_the_list_of_public_programs_is_complete() -> None:
    if CHECKOUT is None:
        pytest.skip(HOW)
    found = {path.stem for path in (Path(CHECKOUT) / TRACES).glob("*.trace")}
    assert found == set(PROGRAMS)
