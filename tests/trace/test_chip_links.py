"""For which part of the time links, ports and banks were taken: as numbers, and on the page."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from chip_program import BRISC, CHIPS, DRAM, boot
from page_browser import CHROMIUM, keep, opened
from tilelab.chip.chip import Chip
from tilelab.chip.flights import TENTHS
from tilelab.trace.chip.page import chip_page
from tilelab.trace.chip.recorded import ChipRecorded
from tilelab.trace.chip.ways_used import way_name
from timed_chip import KIB, LINE, reads, writes

PARTS = 40


def recorded(chip: str) -> ChipRecorded:
    """A tile that reads DRAM, and then writes to its neighbour."""
    own, there = LINE[chip][:2]
    made = Chip(chip, LINE[chip], clock="cycle")
    kept = ChipRecorded(made, "links")
    words = [*reads(chip, own, DRAM[chip], 4 * KIB, 16), *writes(chip, own, there, 8 * KIB, 16)]
    boot(made, own, {BRISC: words})
    assert made.run(1_000_000)
    return kept


@pytest.mark.parametrize("chip", CHIPS)
def test_ways_are_taken_when_packets_take_them(chip: str) -> None:
    kept = recorded(chip)
    ways, table = kept.ways.shares(kept.end, PARTS)
    busy = kept.chip.memory.record["way_busy"]
    assert np.allclose(table.sum(axis=1) * kept.end / PARTS, busy[ways] / TENTHS, rtol=0.02, atol=2)
    named = {way_name(k): table[i] for i, k in enumerate(ways)}
    bank, into = named["DRAM bank 0, channel 0"], next(v for k, v in named.items() if "into" in k)
    writes_from = int(kept.requests["clock"][kept.requests["control"] & 3 == 2].min())
    later = 1 + writes_from * PARTS // kept.end
    assert bank[:later].max() > 0.5
    assert bank[later:].max() == 0
    assert 0 < into.max() <= 1


def test_a_way_is_taken_no_more_than_all_the_time() -> None:
    """What is booked at once is used one after the other."""
    chip = "blackhole"
    made = Chip(chip, LINE[chip], clock="cycle")
    kept = ChipRecorded(made)
    for own in LINE[chip]:
        boot(made, own, {BRISC: reads(chip, own, DRAM[chip], 8 * KIB, 24)})
    assert made.run(1_000_000)
    ways, table = kept.ways.shares(kept.end, PARTS)
    bank = table[[way_name(k) for k in ways].index("DRAM bank 0, channel 0")]
    assert bank[PARTS // 4 : PARTS // 2].min() > 0.95


@pytest.fixture(params=["light", "dark"])
def tab(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Any]:
    if CHROMIUM is None:
        pytest.skip("no Chromium: apt-get install chromium")
    playwright = pytest.importorskip("playwright.sync_api", reason="pip install -e '.[page]'")
    path = tmp_path / "chip.html"
    path.write_text(chip_page(recorded("blackhole"), {"verdict": "", "problem": "", "notes": []}))
    with playwright.sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield from opened(browser, path, request.param)
        browser.close()


def test_the_map_shows_links_by_their_use(tab: Any) -> None:
    assert tab.locator(".noc-link").count() == 0
    tab.check("#links")
    assert not tab.is_checked("#arrows")
    assert tab.locator(".noc-link").count() > 10
    assert tab.locator(".port").count() >= 3
    titles = tab.locator(".node title").all_text_contents()
    assert any(title.startswith("DRAM bank 0: its channel") for title in titles)
    tab.click("[data-tab=requests]")
    assert "link along" in tab.inner_text("#busiest")
    keep(tab, "chip-links")
    end = tab.evaluate("window.tilelab.model.end")
    before = tab.locator(".noc-link").count()
    tab.evaluate(f"window.tilelab.show({end - 40}, {end})")
    assert tab.locator(".noc-link").count() < before
