"""What tiles of a chip did: recorded piece by piece, as a page, as a trace for Perfetto."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from chip_program import BRISC, CHIPS, DRAM, PLACES, RESULT, WRITE, at, boot, request
from chip_traffic import recording, write_recording
from page_browser import CHROMIUM, keep, opened
from perfetto_reader import read_perfetto
from riscv_program import T0, T1, T2, ZERO, addi, bne, li, lw, store, sw
from tilelab.chip.chip import Chip
from tilelab.cli.main import main
from tilelab.sim.errors import BadInputError
from tilelab.tensix.cycle import events
from tilelab.trace.chip.activity import activity
from tilelab.trace.chip.listings import Listings
from tilelab.trace.chip.page import chip_document, chip_page
from tilelab.trace.chip.perfetto import write_chip_perfetto
from tilelab.trace.chip.recorded import ChipRecorded
from tilelab.traffic.ahead import replay_ahead
from tilelab.traffic.calls import read_any


def recorded(tmp_path: Path, chip: str = "blackhole") -> ChipRecorded:
    """Our own firmware's run: it reads from DRAM, and writes there."""
    found = read_any(write_recording(tmp_path, chip))
    made = Chip(found.arch, found.tiles, clock="cycle")
    kept = ChipRecorded(made, "own")
    assert replay_ahead(found, made, lambda text: None).passed
    return kept


@pytest.mark.parametrize("chip", CHIPS)
def test_a_chip_under_the_cycle_clock_leaves_the_same(chip: str, tmp_path: Path) -> None:
    found = read_any(write_recording(tmp_path, chip))
    chips = [Chip(found.arch, found.tiles, clock=clock) for clock in ("functional", "cycle")]
    for made in chips:
        assert replay_ahead(found, made, lambda text: None).passed
    (plain,), (timed,) = (made.tiles.values() for made in chips)
    assert np.array_equal(plain.state.l1, timed.state.l1)
    retired = [made.report()["tiles"][0]["retired"]["BRISC"] for made in chips]
    assert timed.state.s.clock > retired[1] > 60  # polling lasts longer, so more is retired


def test_what_the_cycle_clock_of_a_chip_cannot_do_is_refused() -> None:
    for how in ({"engine": "reference"}, {"delivery": "late"}, {"in_step": True}):
        with pytest.raises(BadInputError, match="the cycle clock of a chip"):
            Chip("blackhole", PLACES["blackhole"][:1], clock="cycle", **how)  # type: ignore[arg-type]
    with pytest.raises(BadInputError, match="needs the cycle clock"):
        ChipRecorded(Chip("blackhole", PLACES["blackhole"][:1]))


@pytest.mark.parametrize("chip", CHIPS)
def test_requests_and_pieces_are_recorded(chip: str, tmp_path: Path) -> None:
    kept = recorded(tmp_path, chip)
    (place, (piece,)) = next(iter(kept.pieces.items()))
    assert place == PLACES[chip][0]
    assert piece.end == kept.end - piece.start
    assert set(piece.of(events.CORE)["part"].tolist()) >= {BRISC}
    own, dram = (x | y << 6 for x, y in (place, DRAM[chip]))
    found = kept.requests
    assert found["from"].tolist() == [dram, own]
    assert found["to"].tolist() == [own, dram]
    assert found["length"].tolist() == [16, 16]
    assert (np.diff(found["clock"].astype(np.int64)) > 0).all()
    measured = activity(kept, [place])
    width = kept.end / measured["noc"].shape[1]
    assert round(measured["noc"].sum() * width) == 32
    counted = kept.chip.tiles[place].state.record["cycle"]["core_cycles"][BRISC]
    asleep = kept.end - int(counted.sum())  # it is shown as it was when it began to wait
    assert -5 <= measured["riscv"].sum() * width - int(counted[0]) <= asleep + 5


def test_tiles_see_each_other_within_a_slice_of_cycles() -> None:
    """A write to a neighbour that polls: it goes on soon after, as its clock says."""
    chip = Chip("blackhole", PLACES["blackhole"][:2], clock="cycle")
    kept = ChipRecorded(chip)
    first, second = PLACES["blackhole"][:2]
    to = 0x4000
    source = [*store(0x5000, 77)]
    source += request(chip.arch, WRITE, (0x5000, at(first)), (to, at(second)), 16)

    waits = [*li(T0, to), *li(T1, 77), lw(T2, T0), bne(T2, T1, -1), *li(T0, RESULT), sw(T1, T0)]
    boot(chip, second, {BRISC: waits})
    chip.run(10_000)
    boot(chip, first, {BRISC: source})
    chip.run(100_000)
    assert chip.asleep
    assert int.from_bytes(chip.read(second, RESULT, 4), "little") == 77
    sent = int(kept.requests["clock"][0])
    (piece,) = kept.pieces[second]
    last = piece.start + int(piece.of(events.CORE, BRISC)["clock"].max())
    assert sent - 64 <= last <= sent + 2048  # then its loop at the end is recognised


def test_requests_beyond_the_room_for_notes_are_all_kept() -> None:
    chip = Chip("blackhole", PLACES["blackhole"][:1], clock="cycle")
    kept = ChipRecorded(chip)

    own = at(PLACES["blackhole"][0])
    one = request(chip.arch, WRITE, (0x5000, own), (0x6000, own), 16)
    left = 28
    program = [*li(left, 5000), *one, addi(left, left, -1), bne(left, ZERO, -len(one) - 1)]
    boot(chip, PLACES["blackhole"][0], {BRISC: program})
    while not chip.run(1_000_000):
        pass
    assert len(kept.requests) == chip.requests == 5000


def test_the_trace_follows_the_official_schema(tmp_path: Path) -> None:
    kept = recorded(tmp_path)
    path = tmp_path / "chip.pftrace"
    with path.open("wb") as file:
        write_chip_perfetto(kept, file)
    found = read_perfetto(path.read_bytes())
    assert found.process == "own: NoC (blackhole)"
    assert "tile 1,2" in found.tracks.values()
    assert "BRISC" in found.tracks.values()
    assert {"DRAM bank 0", "1,2"} <= found.notes["from"]


def test_the_commands_write_page_and_trace(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write_recording(tmp_path, "blackhole")
    page, trace = tmp_path / "page.html", tmp_path / "chip.pftrace"
    assert main(["run", str(path), "--view", str(page), "--trace", str(trace), "--cycles"]) == 0
    said = capsys.readouterr()
    assert said.out.startswith("PASS blackhole.txt: blackhole, 1 tile, ")
    assert "what they ask of NoC and DRAM takes its ways" in said.out
    assert "BRISC waits " in said.out
    assert "used most: " in said.out
    assert "tile 1,2, cycle" in said.out
    assert page.stat().st_size > 10_000
    assert trace.stat().st_size
    assert main(["run", str(path), "--cycles", "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["passed"]
    assert document["pieces"][0]["place"] == [1, 2]
    path.write_text(recording("blackhole").replace("R 17 12 300040 06", "R 17 12 300040 07"))
    assert main(["run", str(path), "--view", str(page)]) == 1
    assert "not as recorded" in page.read_text()
    for wrong in (["--trace", "x.jsonl"], ["--view", str(page), "--engine", "reference"]):
        assert main(["run", str(path), *wrong]) == 2
    assert main(["run", str(path), str(path), "--view", str(page)]) == 2
    assert main(["run", "examples/matmul", "--view", str(page)]) == 2


def test_the_page_names_what_it_shows(tmp_path: Path) -> None:
    kept = recorded(tmp_path, "wormhole")
    data = chip_document(kept, {"verdict": "", "problem": "", "notes": []}, Listings([]), str)
    names = [node["name"] for node in data["nodes"]]
    assert names[:1] == ["18,18"]
    assert names[-1] == "DRAM bank 0"
    assert len(data["pieces"]) == 1 == len(data["pages"])
    text = chip_page(kept, {"verdict": "fine", "problem": "", "notes": []})
    assert "</script>" not in re.search(r'application/json">(.*?)</script>', text, re.S)[1]  # type: ignore[index]


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    if CHROMIUM is None:
        pytest.skip("no Chromium: apt-get install chromium")
    playwright = pytest.importorskip("playwright.sync_api", reason="pip install -e '.[page]'")
    with playwright.sync_playwright() as driver:
        made = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield made
        made.close()


@pytest.fixture(params=["light", "dark"])
def tab(request: pytest.FixtureRequest, browser: Any, tmp_path: Path) -> Iterator[Any]:
    path = tmp_path / "chip.html"
    report = {"verdict": "3 replies equal", "problem": "", "notes": []}
    path.write_text(chip_page(recorded(tmp_path), report))
    yield from opened(browser, path, request.param)


def test_the_map_shows_tiles_and_transfers(tab: Any) -> None:
    assert tab.locator(".node").count() == 2  # of a chip of one tile; and a bank
    assert tab.locator("path.flow.read").count() == 1
    assert tab.locator("path.flow.write").count() == 1
    assert "read: DRAM bank 0 → 1,2, 1 requests, 16 bytes" in tab.content()
    tab.locator("#arrows").uncheck()
    assert tab.locator("path.flow").count() == 0
    tab.select_option("#kind", "noc")
    keep(tab, "chip")


def test_findings_are_listed_with_their_tiles(browser: Any, tmp_path: Path) -> None:
    party = {"actor": "BRISC", "assembly": None, "origin": "BRISC pc 0x10", "line": "own.cpp:3"}
    other = {"actor": "NoC 0 read", "assembly": None, "origin": "BRISC pc 0xc", "line": None}
    found = {
        "check": "noc-read-unwaited", "message": "BRISC uses L1", "at": "tile 1,2: ", "page": "",
        "tiles": [[1, 2]], "parties": [party, other], "relation": "brings it",
        "cure": "wait", "detail": [],
    }  # fmt: skip
    report = {"verdict": "", "problem": "", "notes": [], "checked": True, "findings": [found]}
    text = chip_page(recorded(tmp_path), report)
    assert "noc-read-unwaited: tile 1,2: BRISC uses L1" in text  # without scripts, too
    path = tmp_path / "found.html"
    path.write_text(text)
    for tab in opened(browser, path, "light"):
        panel = tab.locator("#findings")
        assert "the other brings it" in panel.inner_text()
        assert "own.cpp:3" in panel.inner_text()
        keep(tab, "chip-findings")
        panel.get_by_role("button", name="1,2").click()
        assert "what it ran" in tab.locator("#about").inner_text()
        tab.get_by_role("tab", name="Report").click()
        assert "the checker found 1" in tab.locator("#report").inner_text()


def test_a_part_of_the_time_is_chosen_and_kept(tab: Any) -> None:
    box = tab.locator("#heat").bounding_box()
    tab.mouse.move(box["x"] + box["width"] / 2, box["y"] + 5)
    tab.mouse.down()
    tab.mouse.move(box["x"] + box["width"] - 20, box["y"] + 5, steps=4)
    tab.mouse.up()
    assert "cycles" in tab.locator("#figures").inner_text()
    part = tab.evaluate("[window.tilelab.state.from, window.tilelab.state.to]")
    assert 0 < part[0] < part[1]
    tab.keyboard.press("f")
    assert tab.locator("#figures").inner_text().startswith("shown the whole time")


def test_a_tiles_timeline_opens_and_closes(tab: Any) -> None:
    tab.locator("[data-node='0']").click()
    assert "what it ran" in tab.locator("#about").inner_text()
    assert "2 requests, 32 bytes" in tab.locator("#about").inner_text()
    tab.get_by_role("button", name="Open its timeline").click()
    frame = tab.frame_locator("#tile-frame")
    frame.locator("html[data-ready=yes]").wait_for()
    theme = tab.evaluate("document.documentElement.dataset.theme")
    assert frame.locator("html").get_attribute("data-theme") == theme
    assert "tile 1,2" in frame.locator("#name").inner_text()
    keep(tab, "chip-tile")
    tab.get_by_role("button", name="← Chip").click()
    assert not tab.locator("#tile").is_visible()
    tab.get_by_role("tab", name="NoC requests").click()
    assert tab.locator("#requests tr").count() == 3


def test_all_tools_are_within_a_narrow_window(tab: Any) -> None:
    tab.set_viewport_size({"width": 420, "height": 800})
    right = """() => Math.max(...[...document.querySelectorAll("header button")]
        .map((button) => button.getBoundingClientRect().right))"""
    assert tab.evaluate(right) <= 420
    assert tab.evaluate("() => document.documentElement.scrollWidth") <= 420
