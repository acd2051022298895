"""Recorded host traffic: of our own firmware, and of real programs where recordings are."""

import json
import lzma
import os
from pathlib import Path

import pytest

from chip_program import CHIPS, PLACES
from chip_traffic import DONE, NUMBERS, SHARED, recording, write_recording
from tilelab.cli.main import main
from tilelab.sim.errors import BadInputError
from tilelab.traffic.recording import read_recording, replay
from tilelab.traffic.sniff import is_recording

HOW = "set TILELAB_TTNN to a folder of recordings (*.txt.xz); docs/testing.md says of what"


def recordings() -> list[Path]:
    """Recordings of real programs, by events; the logs of calls beside them are another form."""
    named = os.environ.get("TILELAB_TTNN")
    found = sorted((Path(named) if named else SHARED).glob("*.txt*"))
    found = [path for path in found if is_recording(path)]
    if named and not found:
        pytest.fail(f"TILELAB_TTNN={named} holds no recording")
    return found


@pytest.mark.parametrize("engine", ["reference", "fast"])
@pytest.mark.parametrize("chip", CHIPS)
def test_our_own_firmware_replies_as_recorded(chip: str, engine: str, tmp_path: Path) -> None:
    made = replay(read_recording(write_recording(tmp_path, chip)), engine)
    assert made.passed
    assert (made.replies, made.requests, made.tiles) == (3, 2, 1)
    assert made.events == {"W": 4, "R": 2, "P": 1}


@pytest.mark.parametrize("chip", CHIPS)
def test_a_changed_byte_of_the_program_is_noticed(chip: str, tmp_path: Path) -> None:
    last = (NUMBERS[-1] + 1).to_bytes(4, "little").hex()
    wrong = (NUMBERS[-1] + 2).to_bytes(4, "little").hex()
    text = recording(chip).replace(last, wrong)
    made = replay(read_recording(write_recording(tmp_path, chip, text)))
    assert not made.passed
    (difference,) = made.differences
    assert difference.event.line == 8
    assert str(difference).startswith("line 8: read ")
    assert f"{last} instead of" in str(difference)


def test_a_poll_that_nothing_can_answer_says_who_waits(tmp_path: Path) -> None:
    text = recording("blackhole").replace(f"{DONE:x} dec00000", f"{DONE:x} dec00001")
    made = replay(read_recording(write_recording(tmp_path, "blackhole", text)))
    assert "nothing on the chip can change any more" in str(made.differences[0])
    assert "BRISC" in str(made.differences[0])


def test_the_command_compares_and_reports(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write_recording(tmp_path, "blackhole")
    assert main(["run", str(path)]) == 0
    assert capsys.readouterr().out.startswith(f"PASS {path}: blackhole, 1 tile, 3 replies equal")
    packed = tmp_path / "packed.txt.xz"
    packed.write_bytes(lzma.compress(path.read_bytes()))
    assert main(["run", "--json", str(packed)]) == 0
    (document,) = json.loads(capsys.readouterr().out)["recordings"]
    assert document["passed"]
    assert document["replies"] == 3
    path.write_text(path.read_text().replace("R 17 12 300040 06", "R 17 12 300040 07"))
    assert main(["run", str(path)]) == 1
    assert capsys.readouterr().out.startswith(f"FAIL {path}: line 8: read 17,12 at 0x300040")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("chip 1234\n", "line 1: chip b140, chip 401e was expected"),
        ("chip b140\nW 1 2 0\n", "line 2: 'W 1 2 0' is no event"),
        ("chip b140\n\nX 1 2 0 00\n", "line 3: 'X 1 2 0 00' is no event"),
        ("chip b140\nW 1 2 zz 00\n", "is no event"),
        ("chip b140\nR 1 2 0 0\n", "is no event"),
        ("chip b140\nW -1 2 0 00\n", "is no event"),
    ],
)
def test_bad_recordings_are_refused(text: str, problem: str, tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match=problem):
        read_recording(write_recording(tmp_path, "blackhole", text))


def test_other_files_are_no_recordings(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, data in (("a.s", b"ttnop\n"), ("b", b""), ("c.xz", b"\xfd7zXZ\0garbage")):
        (tmp_path / name).write_bytes(data)
        assert not is_recording(tmp_path / name)
    assert not is_recording(tmp_path / "missing")
    path = write_recording(tmp_path, "blackhole")
    assert main(["run", str(path), str(tmp_path / "a.s")]) == 2
    assert "cannot be run together" in capsys.readouterr().err
    assert main(["run", "--throttled", str(path)]) == 2
    assert "recordings take" in capsys.readouterr().err
    (tmp_path / "log.bin").write_bytes(b"TTLOG1\n\0")
    assert main(["run", str(tmp_path / "log.bin")]) == 2
    assert "no call reads which chip it is" in capsys.readouterr().err


@pytest.mark.parametrize("path", recordings() or [None], ids=lambda p: p.name if p else "none")
def test_real_programs_reply_as_recorded(path: Path | None) -> None:
    if path is None:
        pytest.skip(HOW)
    made = replay(read_recording(path))
    print(f"\n{path.name}: {made.replies} replies, {made.requests} NoC requests")
    assert made.passed, str(made.differences[0])
    assert made.replies


def test_only_the_tiles_that_take_part_are_made(tmp_path: Path) -> None:
    assert read_recording(write_recording(tmp_path, "wormhole")).tiles == PLACES["wormhole"][:1]


def test_lines_are_of_the_device_named_before_them(tmp_path: Path) -> None:
    one = recording("blackhole").splitlines()
    both = [*one[:1], "D 1", *one[1:], "D 0", *one[1:]]
    path = write_recording(tmp_path, "blackhole", "\n".join(both) + "\n")
    read = read_recording(path)
    assert read.chips == 2
    assert replay(read, "reference").replies == 6
    wrong = write_recording(tmp_path, "blackhole", "chip b140\nD 32\n")
    with pytest.raises(BadInputError, match="line 2: 'D 32' is no event"):
        read_recording(wrong)
