"""The report page in a real browser: chains, states, searching, large runs."""

import json
import re
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from page_browser import EXAMPLES, click_issue, keep, opened
from tilelab.cli.main import main
from tilelab.tensix import Tile
from tilelab.tensix.cycle import events as kinds
from tilelab.trace.page import page as make_page
from tilelab.trace.page.columns import packed
from tilelab.trace.page.data import shown as listed_events
from tilelab.trace.recording import Recording


def test_page_is_one_file_that_names_the_run(report: Path) -> None:
    text = report.read_text()
    assert not re.search(r"""(src|href)=["']?http""", text)
    data = json.loads(re.search(r'type="application/json">(.*?)</script>', text, re.S)[1])  # type: ignore[index]
    assert data["report"]["verdict"] == "PASS"
    assert data["end"] == data["report"]["cycles"]


def test_the_same_run_is_the_same_page(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = []
    for moment in 1.0e9, 2.0e9:
        monkeypatch.setattr(time, "time", lambda moment=moment: moment)
        drawn.append(packed({"a": np.arange(9)}))
    assert drawn[0] == drawn[1]


def test_opens_on_the_breakdown(shown: Any) -> None:
    assert shown.inner_text("h1").startswith("matmul")
    assert "60.3" in shown.inner_text("#figures")
    text = shown.inner_text("#time")
    assert "T1 math issues in 67% of all cycles" in text
    assert "unpacker 1" in text
    keep(shown, "breakdown")


def test_click_leads_back_to_the_source(shown: Any) -> None:
    click_issue(shown, 310)
    panel = shown.inner_text("#selected")
    for words in ("ttmvmul", "pushed in cycle", "replay slot", "recorded in cycle"):
        assert words in panel, panel
    assert "MOP word 0, LoopOp, ttreplay 16,16,0,0" in panel
    assert "outer 0, inner 0, from MopCfg[5]" in panel
    assert "kernel.cpp:31 → run → templates.h:91, chlkc_math::math_main+0x1b4" in panel
    keep(shown, "chain")
    first = shown.locator("#selected .step").first
    assert first.locator("b").inner_text() == "kernel.cpp:31"  # the author's line, nothing else
    first.click()  # leads to the push there
    assert "pushed by TRISC1 0xa208" in shown.inner_text("#selected")
    assert "kernel.cpp:31 → run → templates.h:91" in shown.inner_text("#selected")
    keep(shown, "push")


def test_chain_is_the_recordings_own(shown: Any, recording: Recording) -> None:
    """Words of a MOP go back to the push that made them, however many wait in the FIFO."""
    found, links = recording.events, recording.links
    issues = recording.indices(kinds.ISSUE, 1).tolist()
    listed = listed_events(recording).tolist()
    for i in issues[::37]:
        chain = shown.evaluate("(i) => window.tilelab.model.chain(i)", listed.index(i))
        push = links.origin(i, kinds.PUSH)
        assert chain[1]["text"] == f"pushed in cycle {found['clock'][push]:,}"
        if step := links.place(i):
            assert f", {step.role}, " in chain[2]["title"]
            assert chain[2]["text"].startswith(f"outer {step.outer}, inner {step.inner}, from")


def test_end_of_a_mop_is_named(shown: Any) -> None:
    shown.fill("#search", "ttsetrwc")
    shown.keyboard.press("Enter")
    for _ in range(20):
        if "EndOp0" in shown.inner_text("#selected"):
            break
        shown.keyboard.press("Enter")
    assert "outer 0, inner 4, from MopCfg[3]" in shown.inner_text("#selected")


def test_registers_around_a_word(shown: Any) -> None:
    click_issue(shown, 310)
    shown.click("#selected .around")
    assert shown.is_visible("#registers")
    frames = shown.evaluate("[tilelab.frames.from, tilelab.frames.to, tilelab.frames.clocks]")
    first, second, clocks = frames
    assert second == first + 1
    assert clocks[first] <= 690 < clocks[second]
    assert f"cycle {clocks[first]:,}" in shown.inner_text("#registers thead")
    keep(shown, "registers-around")
    shown.select_option("#registers .from", "0")
    shown.select_option("#registers [aria-label='Kind of register']", "GPR")
    rows = shown.locator("#registers tbody tr").all_inner_texts()
    assert rows
    assert all(row.startswith("gpr[") for row in rows)


def test_click_on_a_bubble_says_why(shown: Any) -> None:
    place = shown.evaluate(
        """() => {
            const { model, timeline } = window.tilelab;
            const track = timeline.tracks.find((t) => t.kind === "gate" && t.thread === 2);
            let best = 0;
            for (let k = 0; k < track.spans.start.length; k++) {
                const long = (i) => track.spans.end[i] - track.spans.start[i];
                if (track.spans.key[k] === 5 && long(k) > 20) best = k;
            }
            timeline.scroll = track.y - 200;
            timeline.fit();
            const box = timeline.canvas.getBoundingClientRect();
            const middle = (track.spans.start[best] + track.spans.end[best]) / 2;
            return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() =>
                done([box.x + timeline.x(middle), box.y + track.y - timeline.scroll + 12]))));
        }"""
    )
    shown.mouse.click(*place)
    assert "semaphore" in shown.inner_text("#selected")
    assert "a latched SEMWAIT waits" in shown.inner_text("#selected")


def test_search_finds_and_steps_through_matches(shown: Any) -> None:
    shown.keyboard.press("/")
    shown.keyboard.type("ttelwadd")
    assert shown.inner_text("#matches") == "0 found"
    shown.fill("#search", "ttmvmul")
    assert shown.inner_text("#matches") == "768 found"
    shown.keyboard.press("Enter")
    assert shown.inner_text("#matches") == "1 of 768"
    assert "ttmvmul" in shown.inner_text("#selected h2")
    shown.keyboard.press("Shift+Enter")
    assert shown.inner_text("#matches") == "768 of 768"
    shown.fill("#search", "MATH_PACK")
    assert "found" in shown.inner_text("#matches")
    assert shown.inner_text("#matches") != "0 found"


def test_registers_heat_maps_and_replay_buffer(shown: Any) -> None:
    shown.click("[data-tab=registers]")
    assert "registers that differ" in shown.inner_text("#registers")
    shown.fill("#registers input", "semaphore")
    assert "semaphore[1].max" in shown.inner_text("#registers")
    keep(shown, "registers")
    shown.click("[data-tab=dst]")
    assert shown.locator("#dst canvas").count() == 4  # tiles 0 and 8, before and after
    assert re.search(r"tile 0, rows 0–63: largest [1-9.]+, 1,024 differ", shown.inner_text("#dst"))
    assert "14 tiles hold only zeros" in shown.inner_text("#dst")
    keep(shown, "dst")
    shown.uncheck("#dst input")  # the packer has cleared all of it
    assert "tile 0, rows 0–63: largest 0, 1,024 differ" in shown.inner_text("#dst")
    shown.check("#dst input")
    shown.select_option("#dst [aria-label=Format]", "raw 16 bits")
    assert re.search(r"tile 0, rows 0–63: largest \d{4,}, 1,024 differ", shown.inner_text("#dst"))
    last = shown.evaluate("tilelab.frames.count - 1")
    shown.select_option("#dst .from", str(last))
    assert "tile 0, rows 0–63: largest" in shown.inner_text("#dst")
    assert "no change" in shown.inner_text("#dst")
    shown.select_option("#dst .from", "0")
    shown.click("[data-tab=src]")
    assert shown.locator("#src canvas").count() == 8
    assert re.search(r"SrcA bank 0: largest [1-9.]", shown.inner_text("#src"))
    keep(shown, "src")
    shown.click("[data-tab=replay]")
    assert shown.locator("#replay tbody tr").count() == 16
    assert "ttmvmul" in shown.inner_text("#replay")
    keep(shown, "replay")


def contrast(tab: Any, selector: str) -> float:
    ratio: float = tab.evaluate(
        """(selector) => {
            const light = (text) => {
                const [r, g, b] = text.match(/[0-9.]+/g).map(Number).map((v) => {
                    const s = v / 255;
                    return s <= 0.03928 ? s / 12.92 : ((s + 0.055) / 1.055) ** 2.4;
                });
                return 0.2126 * r + 0.7152 * g + 0.0722 * b;
            };
            const node = document.querySelector(selector);
            let ground = node;
            const colour = (of, name) => getComputedStyle(of)[name];
            const clear = "rgba(0, 0, 0, 0)";
            while (colour(ground, "backgroundColor") === clear) ground = ground.parentElement;
            const a = light(colour(node, "color")), b = light(colour(ground, "backgroundColor"));
            return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
        }""",
        selector,
    )
    return ratio


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_legible_in_light_and_dark(browser: Any, report: Path, theme: str) -> None:
    for tab in opened(browser, report, theme):
        keep(tab, f"theme-{theme}")
        for selector in ("h1", "small", "#time h3", "nav button[aria-selected=false]", "button"):
            assert contrast(tab, selector) >= 4.5, selector
        tab.keyboard.press("t")
        assert tab.evaluate("document.documentElement.dataset.theme") != theme


def test_a_million_events_stay_usable(browser: Any, tmp_path: Path) -> None:
    tile = Tile(engine="reference", clock="cycle")
    recording = Recording(tile, "large")
    count = 1_000_000
    batch = np.zeros(count, kinds.EVENT)
    batch["clock"] = np.arange(count) // 4
    batch["kind"] = np.tile([kinds.MOP_OUT, kinds.REPLAY_OUT, kinds.ISSUE, kinds.DEPTH], count // 4)
    batch["part"] = 1
    batch["value"] = np.where(batch["kind"] == kinds.DEPTH, batch["clock"] % 32, 0x26000000)
    batch["length"] = 5
    batch["extra"] = 7 << 56 | 1 << 48 | (batch["clock"] % 60 + 1) << 32
    recording(batch)
    tile.state.record["clock"] = count // 4
    path = tmp_path / "large.html"
    path.write_text(make_page(recording, {}))
    start = time.monotonic()
    for tab in opened(browser, path):
        assert time.monotonic() - start < 15  # about 1.5 s on a quiet machine
        for zoom in ("timeline.fit()", "timeline.show(1000, 90000)", "timeline.show(1000, 1200)"):
            tab.evaluate(f"window.tilelab.{zoom}")
            tab.wait_for_timeout(120)
            assert tab.evaluate("window.tilelab.timeline.drawn") < 150, zoom
        click_issue(tab, 200_000)
        assert "ttmvmul" in tab.inner_text("#selected")
        start = time.monotonic()
        tab.fill("#search", "ttmvmul")
        assert tab.inner_text("#matches") == "250,000 found"
        assert time.monotonic() - start < 2  # about 0.05 s
        keep(tab, "million")


def test_view_wants_one_kernel(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["view", str(EXAMPLES)]) == 2
    assert "a page takes one" in capsys.readouterr().err


def test_page_that_cannot_be_written(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["view", str(EXAMPLES / "datacopy"), "-o", "/nonexistent/x.html"]) == 2
    assert "/nonexistent/x.html" in capsys.readouterr().err
