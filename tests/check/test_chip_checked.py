"""A chip under the checker: faulty programs of our own and their healthy twins, as recordings."""

import json
import re
from pathlib import Path

import pytest

from chip_faults import (
    HERE,
    NOWHERE,
    OTHER_CHANNEL,
    Case,
    barrier,
    brought,
    cases,
    copied,
    counted,
    fetched,
    pages,
    taken,
    text_of,
    told,
)
from chip_program import (
    ATOMIC,
    CHIPS,
    PLACES,
    RESULT,
    wait_register,
)
from chip_traffic import recording, started, words, write_recording
from faulty.harness import BRISC_DONE, PROGRAMS, read
from tilelab.check.chip.run import checked_recording
from tilelab.check.findings import Finding
from tilelab.check.run import Checked
from tilelab.cli.main import main
from tilelab.tensix.noc import niu as n
from tilelab.tensix.riscv.elf import load_elf
from tilelab.traffic.calls import read_any


def run(folder: Path, chip: str, text: str) -> Checked:
    return checked_recording(read_any(write_recording(folder, chip, text)))[0]


def only(found: Checked) -> Finding:
    (one,) = found.findings
    return one


@pytest.mark.parametrize("name", cases(CHIPS[0]))
@pytest.mark.parametrize("chip", CHIPS)
def test_the_fault_is_found_and_its_twin_is_silent(chip: str, name: str, tmp_path: Path) -> None:
    faulty, healthy = cases(chip)[name]
    found = only(run(tmp_path, chip, text_of(chip, faulty)))
    assert found.check == faulty.check
    assert found.tiles == PLACES[chip][:1]
    this, other = found.parties
    assert other.actor == faulty.other
    assert "BRISC pc 0x" in other.origin
    assert this.origin
    silent = run(tmp_path, chip, text_of(chip, healthy))
    assert [str(one) for one in silent.findings] == []
    assert silent.passed


@pytest.mark.parametrize("credit", [OTHER_CHANNEL, ATOMIC & ~0x80])
@pytest.mark.parametrize("chip", CHIPS)
def test_a_neighbour_is_told_of_data_on_their_way(chip: str, credit: int, tmp_path: Path) -> None:
    found = only(run(tmp_path, chip, told(chip, credit)))
    assert found.check == "noc-write-unacknowledged"
    assert found.tiles == PLACES[chip][1:2]
    this, other = found.parties
    assert this.actor == "NoC 0 write"
    assert other.actor == f"NoC 0 write of tile {PLACES[chip][0][0]},{PLACES[chip][0][1]}"
    assert "BRISC pc 0x" in other.origin


@pytest.mark.parametrize("chip", CHIPS)
def test_a_posted_write_is_never_known_to_have_come(chip: str, tmp_path: Path) -> None:
    """That it has left is all that its interface counts."""
    text = told(chip, OTHER_CHANNEL, waits=True, posted=True)
    assert only(run(tmp_path, chip, text)).check == "noc-write-unacknowledged"
    silent = run(tmp_path, chip, told(chip, ATOMIC, waits=True, posted=True))
    assert [str(one) for one in silent.findings] == []


@pytest.mark.parametrize("chip", CHIPS)
def test_an_atomics_answer_is_used_before_it_has_come(chip: str, tmp_path: Path) -> None:
    found = only(run(tmp_path, chip, counted(chip, waits=False)))
    assert found.check == "noc-read-unwaited"
    assert [party.actor for party in found.parties] == ["BRISC", "NoC 0 atomic"]
    silent = run(tmp_path, chip, counted(chip, waits=True))
    assert [str(one) for one in silent.findings] == []


@pytest.mark.parametrize("own", [False, True], ids=["of a second tile", "of the first"])
@pytest.mark.parametrize("chip", CHIPS)
def test_a_third_tile_fetches_what_it_was_told_of_too_early(
    chip: str, own: bool, tmp_path: Path
) -> None:
    """Data have been written to a tile, or are being read there: tt-metal#19777."""
    found = only(run(tmp_path, chip, fetched(chip, waits=False, own=own)))
    assert found.check == ("noc-read-unwaited" if own else "noc-write-unacknowledged")
    assert found.tiles == PLACES[chip][2:3]
    this, other = found.parties
    assert this.actor == "NoC 0 read"
    (x, y), does = PLACES[chip][0], "read" if own else "write"
    assert other.actor == f"NoC 0 {does} of tile {x},{y}"
    assert "BRISC pc 0x" in this.origin
    assert "BRISC pc 0x" in other.origin
    silent = run(tmp_path, chip, fetched(chip, waits=True, own=own))
    assert [str(one) for one in silent.findings] == []
    assert silent.passed


@pytest.mark.parametrize("chip", CHIPS)
def test_a_neighbour_is_told_in_order(chip: str, tmp_path: Path) -> None:
    """By the same virtual channel, or behind the acknowledgement."""
    for text in (told(chip, ATOMIC), told(chip, OTHER_CHANNEL, waits=True)):
        silent = run(tmp_path, chip, text)
        assert [str(one) for one in silent.findings] == []
        assert silent.passed


def test_the_other_noc_keeps_no_order(tmp_path: Path) -> None:
    assert only(run(tmp_path, "blackhole", told("blackhole", ATOMIC, niu=1))).check == (
        "noc-write-unacknowledged"
    )


@pytest.mark.parametrize("chip", CHIPS)
def test_many_neighbours_are_told_of_data_on_their_way(chip: str, tmp_path: Path) -> None:
    """A multicast arrives at each of its tiles behind its acknowledgement, as one write does."""
    for credit in (OTHER_CHANNEL, ATOMIC):  # a channel keeps no order between one and many
        found = only(run(tmp_path, chip, told(chip, credit, multicast=True)))
        assert found.check == "noc-write-unacknowledged"
        assert found.tiles == PLACES[chip][1:2]
    silent = run(tmp_path, chip, told(chip, OTHER_CHANNEL, waits=True, multicast=True))
    assert [str(one) for one in silent.findings] == []
    assert silent.passed


@pytest.mark.parametrize("chip", CHIPS)
def test_the_source_of_a_multicast_is_not_written_to_before_it_has_left(
    chip: str, tmp_path: Path
) -> None:
    text = told(chip, ATOMIC, waits=True, multicast=True, reuses=True)
    assert only(run(tmp_path, chip, text)).check == "noc-write-unflushed"


@pytest.mark.parametrize("chip", CHIPS)
def test_what_is_asked_of_the_noc_may_come_late(chip: str, tmp_path: Path) -> None:
    """Under late delivery a missing barrier fails the run; with it every reply is as recorded."""
    faulty, healthy = cases(chip)["a read without its barrier"]
    checks = []
    for case in (faulty, healthy):
        file = write_recording(tmp_path, chip, text_of(chip, case))
        made, _ = checked_recording(read_any(file), late=True)
        checks.append({finding.check for finding in made.findings})
    assert checks == [{"noc-read-unwaited", "chip-read-early"}, set()]
    assert made.notes[-1] == "delivered late: every reply is as recorded"


@pytest.mark.parametrize("chip", CHIPS)
def test_an_atomic_that_nobody_waited_for_is_left(chip: str, tmp_path: Path) -> None:
    found = only(run(tmp_path, chip, told(chip, ATOMIC, waits=True, atomics=False)))
    assert found.check == "noc-left-outstanding"
    assert found.message == "BRISC ends with NoC atomics for which no core has waited"
    assert found.tiles == PLACES[chip][:1]


@pytest.mark.parametrize("chip", CHIPS)
def test_a_write_that_nobody_waited_for_is_left(chip: str, tmp_path: Path) -> None:
    case = Case("", "", [*brought(chip), *barrier(n.READ_RESPONSES), *taken(chip)])
    found = only(run(tmp_path, chip, text_of(chip, case)))
    assert found.check == "noc-left-outstanding"
    assert "NoC writes" in found.message


def test_parties_are_at_their_instructions(tmp_path: Path) -> None:
    chip = CHIPS[0]
    before = brought(chip)
    case = Case("", "", [*before, *copied(HERE)])
    found = only(run(tmp_path, chip, text_of(chip, case)))
    # the last store of the request initiates it; two instructions later the word is loaded
    assert [party.origin for party in found.parties] == [
        f"BRISC pc {4 * (len(before) + 2):#x}",
        f"BRISC pc {4 * (len(before) - 1):#x}",
    ]
    assert f"{HERE:#x}…{HERE + 15:#x}" in found.message


def test_tiles_with_the_same_fault_are_one_finding(tmp_path: Path) -> None:
    chip = CHIPS[0]
    faulty, _healthy = cases(chip)["two cores push"]
    both = only(run(tmp_path, chip, text_of(chip, faulty, tiles=2)))
    assert both.tiles == PLACES[chip][:2]
    assert both.at == "tile 1,2 and 1 more tile: "


@pytest.mark.parametrize("chip", CHIPS)
def test_our_firmware_is_silent(chip: str, tmp_path: Path) -> None:
    # it has no read back between its stores and the NoC's taking them
    off = [("noc-source-under-way", "off")]
    written = read_any(write_recording(tmp_path, chip, recording(chip)))
    found = checked_recording(written, off)[0]
    assert found.passed
    assert found.notes == ()


def test_what_nobody_wrote_is_found_if_a_reply_depends_on_it(tmp_path: Path) -> None:
    chip = CHIPS[0]
    (x, y) = PLACES[chip][0]
    text = text_of(chip, Case("", "", copied(NOWHERE)))
    asked = text + f"R {x} {y} {RESULT:x} {words([0])}\n"
    found = only(run(tmp_path, chip, asked))
    assert found.check == "uninit-l1"
    assert f"L1 {NOWHERE:#x}" in found.message
    written = asked.replace("\nW ", f"\nW {x} {y} {NOWHERE:x} {words([0])}\nW ", 1)
    assert run(tmp_path, chip, written).passed
    quiet = run(tmp_path, chip, text)
    assert quiet.passed
    assert quiet.notes == ("1 reads of what nothing has written change no reply (uninit-l1)",)


def test_a_host_that_waits_in_vain_is_told_who_waits(tmp_path: Path) -> None:
    chip = CHIPS[0]
    case = Case("", "", wait_register(pages(chip)[0], 1))
    run_ = run(tmp_path, chip, text_of(chip, case))
    found = only(run_)
    assert found.check == "deadlock"
    assert any("waits for circular buffer 5 for pages" in line for line in found.detail)
    assert not run_.passed


def test_a_request_that_the_network_refuses_is_a_finding(tmp_path: Path) -> None:
    chip = CHIPS[0]
    found = only(run(tmp_path, chip, text_of(chip, Case("", "", brought(chip, HERE + 4)))))
    assert found.check == "chip-alignment"
    assert "Tensix tile 1,2, BRISC, cycle" in found.message
    assert "differ modulo" in found.message


REQUEST = """
    volatile uint32_t* niu = word_at(0xFFB20000);
    const uint32_t here = 1 | 2 << 6;
    niu[0] = from, niu[1] = 0, niu[2] = here, niu[3] = to, niu[4] = 0, niu[5] = here;
    niu[6] = 0, niu[7] = 0x2090, niu[8] = bytes;
    niu[tilelab::noc::CMD_CTRL / 4] = 1;
"""
"""A read by interface 0, which has the host's coordinates; the headers are for a tile by itself."""


def compiled_by_the_host(
    folder: Path, monkeypatch: pytest.MonkeyPatch, text: list[str]
) -> tuple[Path, int]:
    """A kernel from source whose ELF is where tt-metal keeps what it compiles: a recording of it.

    In place of the headers' own requests, ``text`` makes one; also the line that does.
    """
    faulty = read(PROGRAMS / "noc_read_without_barrier.cpp")
    lines = [line for line in faulty.lines(healthy=False) if "noc_async" not in line]
    begin = next(i for i, line in enumerate(lines) if line.endswith("// this"))
    lines[begin : begin + 1] = text
    kernel = faulty.kernel("\n".join(lines) + "\n", folder)
    image = kernel.elfs["brisc"]
    place = folder / "cache/key/kernels/own/1/brisc/brisc.elf"
    place.parent.mkdir(parents=True)
    place.write_bytes(image.read_bytes())
    monkeypatch.setenv("TT_METAL_CACHE", str(folder / "cache"))
    (x, y) = PLACES["blackhole"][0]
    segments = [f"W {x} {y} {start:x} {data.hex()}" for start, data in load_elf(image).segments]
    go, done = 1 if kernel.done.value != 1 else 2, kernel.done.value
    segments += [f"W {x} {y} {BRISC_DONE:x} {words([go])}"]
    after = [f"P {x} {y} {BRISC_DONE:x} {words([done])}"]
    made = write_recording(folder, "blackhole", started("blackhole", [], segments, after))
    return made, next(i for i, line in enumerate(lines, 1) if "CMD_CTRL" in line)


USE = "    *word_at(from) = *word_at(to + 4);"
WAIT = "    while (*word_at(0xFFB20208) == 0) {}"
"""Until the interface has an answer to a read."""


def test_lines_are_those_of_the_program_in_the_hosts_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text, asks = compiled_by_the_host(tmp_path, monkeypatch, [*REQUEST.splitlines(), USE])
    found = only(checked_recording(read_any(text))[0])
    assert found.check == "noc-read-unwaited"
    assert [party.line for party in found.parties] == [
        f"kernel.cpp:{asks + 1}",
        f"kernel.cpp:{asks}",
    ]


ALL = "ordered by: all 1 requests of kernel.cpp:{asks} are waited for: kernel.cpp:{wait}"
LEFT = "for 1 of 1 requests of kernel.cpp:{asks} nobody has waited when the program ends"
EARLY = "kernel.cpp:{wait} makes a request before anybody has waited for 1 of 1 requests of"
UNUSED = "; nothing in this recording uses them too early"


@pytest.mark.parametrize(
    ("text", "answers"),
    [
        ([USE], ["reproducer: the checker finds it in this recording"] * 2),
        ([WAIT, USE], [ALL, ALL]),
        ([], ["reproducer: the checker finds it", f"bound: {LEFT}{UNUSED}"]),
        ([REQUEST.splitlines()[-1], WAIT.replace("== 0", "< 2")], [None, f"bound: {EARLY}"]),
    ],
    ids=["used", "waited for", "left", "another before"],
)
def test_claims_about_what_a_line_asks_of_the_noc(
    text: list[str],
    answers: list[str | None],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A line by itself, against the line behind it, and one that asks for nothing."""
    file, asks = compiled_by_the_host(tmp_path, monkeypatch, [*REQUEST.splitlines(), *text])
    claims = [f"kernel.cpp:{asks}", f"kernel.cpp:{asks} races kernel.cpp:{asks + 1}", "a.cpp:1"]
    flags = [word for claim in claims for word in ("--claim", claim)]
    quiet = ["--policy", "noc-read-unwaited=off", "--policy", "noc-left-outstanding=off"]
    code = main(["check", str(file), *flags, *quiet, "--json"])
    (run_,) = json.loads(capsys.readouterr().out)["runs"]
    got = [f"{one['answer']}: {one['said']}" for one in run_["claims"]]
    for said, answer in zip(got, answers, strict=False):
        if answer is not None:
            assert said.startswith(answer.format(asks=asks, wait=asks + 1))
    assert got[2] == "bound: a.cpp:1 asks the NoC for nothing here"
    assert code == int(any(said.startswith("reproducer") for said in got))


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    chip = CHIPS[0]
    faulty, healthy = cases(chip)["a read without its barrier"]
    good = str(write_recording(tmp_path, "blackhole", text_of(chip, healthy)))
    assert main(["check", good]) == 0
    assert ": nothing found, blackhole, 1 tile, " in capsys.readouterr().out
    folder = tmp_path / "faulty"
    folder.mkdir()
    bad = str(write_recording(folder, "blackhole", text_of(chip, faulty)))
    sarif, page = tmp_path / "found.sarif", tmp_path / "found.html"
    assert main(["check", bad, good, "--sarif", str(sarif), "--page", str(page)]) == 1
    said = capsys.readouterr().out
    assert "noc-read-unwaited: tile 1,2: BRISC uses L1 0x4040…0x404f" in said
    assert "cure   wait for the read" in said
    (result,) = json.loads(sarif.read_text())["runs"][0]["results"]
    assert result["ruleId"] == "noc-read-unwaited"
    assert "tile 1,2: " in page.read_text()
    assert main(["check", bad, "--policy", "noc-read-unwaited=warn"]) == 0
    assert main(["check", bad, "--policy", "noc-read-unwaited=off"]) == 0
    assert main(["check", bad, "--schedules", "5"]) == 2
    capsys.readouterr()
    assert main(["check", bad, "--json"]) == 1
    (document,) = json.loads(capsys.readouterr().out)["runs"]
    assert document["findings"][0]["tiles"] == [[1, 2]]
    assert document["replies"] == 3


def test_a_reply_that_differs_is_a_failure(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    text = re.sub(r"(R 17 12 300040 )06", r"\g<1>07", recording("blackhole"))
    assert main(["check", str(write_recording(tmp_path, "blackhole", text))]) == 1
    assert "not as recorded: line 8" in capsys.readouterr().out
