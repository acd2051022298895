"""The page of two runs: what is done to one timeline is done to the other; changes add up."""

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from page_browser import EXAMPLES, keep, opened
from tilelab.cli.main import main

SETTLED = "() => new Promise((r) => requestAnimationFrame(() => requestAnimationFrame(r)))"
VIEWS = "() => window.tilelab.timelines.map((t) => [t.from, t.to, t.filter, t.pinned.join()])"


@pytest.fixture(scope="module")
def both(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of two of the examples."""
    path = tmp_path_factory.mktemp("both") / "both.html"
    kernels = [str(EXAMPLES / name) for name in ("eltwise_add", "matmul")]
    assert main(["compare", *kernels, "-o", str(path)]) == 0
    return path


@pytest.fixture
def two(browser: Any, both: Path) -> Iterator[Any]:
    yield from opened(browser, both)


def test_both_timelines_have_one_axis(two: Any) -> None:
    one, other = two.evaluate(VIEWS)
    assert one == other
    two.evaluate("() => window.tilelab.timelines[1].show(300, 500)")
    two.fill("#tracks", "gate")
    box = two.locator("#canvas0").bounding_box()
    two.mouse.click(box["x"] + 40, box["y"] + 60)  # a track's name: pin it
    one, other = two.evaluate(VIEWS)
    assert one == other
    assert one[0] == pytest.approx(300, abs=1)
    assert one[2:] == ["gate", "T0 unpack/wait gate"]
    assert two.evaluate(
        "() => window.tilelab.timelines.every((t) => t.tracks.filter((k) => k.kind === 'gate').length === 3)"
    )


def test_every_parts_changes_add_up(two: Any) -> None:
    lengths = two.evaluate("() => window.tilelab.models.map((m) => m.end)")
    parts = two.evaluate(
        """() => [...document.querySelectorAll("#difference .part")].filter((p) => p.querySelector(".sum"))
               .map((p) => [...p.querySelectorAll("tbody tr")].map((row) => [...row.cells].slice(1)
                   .map((c) => Number(c.innerText.replace(/,/g, "").replace("−", "-")))))"""
    )
    assert len(parts) == 6  # three threads, three cores
    for *changes, whole in parts:
        assert whole == [*lengths, lengths[1] - lengths[0]]
        assert sum(change for _, _, change in changes) == whole[2]
        for before, after, change in changes:
            assert after - before == change
    text = two.inner_text("#because")
    assert text.endswith(f"= {lengths[1] - lengths[0]:+,} cycles")


def test_a_range_of_both_is_compared(two: Any) -> None:
    two.evaluate("() => window.tilelab.timelines[0].setRange(400, 700)")
    two.evaluate(SETTLED)
    assert two.evaluate("() => window.tilelab.timelines[1].range") == [400, 700]
    assert "cycles 400 to 699 of both" in two.inner_text("#difference").replace("\n", "")
    sums = two.locator("#difference .sum").all_inner_texts()
    assert {text.split("\t")[1] for text in sums} == {"300"}
    two.click("text=the whole runs")
    assert two.evaluate("() => window.tilelab.timelines[1].range") is None


def test_a_click_in_either_run_shows_its_chain_and_its_source(two: Any) -> None:
    for run, source in ((0, "eltwise_add"), (1, "matmul")):
        two.evaluate(
            """(run) => {
                const { models, timelines } = window.tilelab, model = models[run];
                timelines[run].show(...[-12, 12].map((by) => model.events.clock[model.of(1, 1)[3]] + by));
            }""",
            run,
        )
        two.evaluate(SETTLED)
        at = two.evaluate(
            """(run) => {
                const t = window.tilelab.timelines[run], model = window.tilelab.models[run];
                const track = t.tracks.find((k) => k.kind === "gate" && k.thread === 1);
                t.scroll = track.y - 60;
                return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => {
                    const box = t.canvas.getBoundingClientRect();
                    done([box.x + t.x(model.events.clock[model.of(1, 1)[3]] + 0.5), box.y + track.y - t.scroll + 12]);
                })));
            }""",
            run,
        )
        two.click("[data-tab=selected]")
        two.mouse.click(*at)
        assert two.locator("#selected .chain li").count() >= 2, source
        selected = two.evaluate("() => window.tilelab.timelines.map((t) => Boolean(t.selected))")
        assert selected == [run == 0, run == 1]
        two.click("#selected >> text=this line in the source")
        chosen = two.locator(f"#source{run} .lines tr.chosen")
        assert chosen.count() == 1
        assert "kernel.cpp" in two.inner_text(f"#source{run}")
        assert two.locator("#source0 .lines tbody tr").count() > 20
        assert two.locator("#source1 .lines tbody tr").count() > 20


def test_help_and_tables_are_for_everybody(two: Any) -> None:
    two.keyboard.press("?")
    assert two.is_visible("#help")
    assert "Colours of bubbles" in two.inner_text("#legend")
    assert "previous, next event" not in two.inner_text("#help"), "it is not on this page"
    two.keyboard.press("Escape")
    assert not two.is_visible("#help")
    names = two.evaluate(
        """() => [...document.querySelectorAll("button:not([hidden])")]
               .map((b) => b.getAttribute("aria-label") || b.innerText)"""
    )
    assert all(len(name) > 2 for name in names)
    heads = two.evaluate(
        """() => [...document.querySelectorAll("#difference table")]
               .map((t) => [...t.querySelectorAll("th[scope=col]")].slice(1).map((h) => h.innerText).join())"""
    )
    assert heads
    assert set(heads) == {"before,after,change"}


@pytest.mark.parametrize("size", [(1400, 900), (420, 800)])
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_it_fits(browser: Any, both: Path, size: tuple[int, int], theme: str) -> None:
    for tab in opened(browser, both, theme):
        tab.set_viewport_size({"width": size[0], "height": size[1]})
        tab.evaluate(SETTLED)
        assert tab.evaluate("() => document.documentElement.scrollWidth") <= size[0]
        keep(tab, f"compare-{size[0]}-{theme}")
        tab.click("text=Lines that differ")
        assert "kernel.cpp:" in tab.inner_text("#lines")
        tab.click("text=Sources")
        keep(tab, f"compare-sources-{size[0]}-{theme}")
        assert tab.evaluate("() => document.documentElement.scrollWidth") <= size[0]
        tab.click("text=Outputs")
        assert "of another shape" in tab.inner_text("#outputs")
        tab.focus("#view0")
        tab.keyboard.press("End")
        tab.evaluate(SETTLED)
        assert tab.evaluate(
            "() => window.tilelab.timelines.every((t) => t.top(t.tracks.at(-1)) < t.height)"
        )


def test_outputs_are_compared(browser: Any, tmp_path: Path) -> None:
    other = shutil.copytree(EXAMPLES / "matmul", tmp_path / "matmul")
    a = np.load(other / "a.npy")
    a[:32] = 0  # so the upper half of the product
    np.save(other / "a.npy", a)
    path = tmp_path / "both.html"
    assert main(["compare", str(EXAMPLES / "matmul"), str(other), "-o", str(path)]) == 1
    for tab in opened(browser, path):
        tab.click("text=Outputs")
        assert "2,048 of 4,096 elements differ" in tab.inner_text("#outputs")
        assert tab.locator("#outputs canvas").count() == 3
        keep(tab, "compare-outputs")
        tab.click("text=Lines that differ")
        assert "No line differs." in tab.inner_text("#lines")


def test_it_says_something_without_scripts(browser: Any, both: Path) -> None:
    context = browser.new_context(java_script_enabled=False)
    tab = context.new_page()
    tab.goto(both.as_uri())
    assert "cycles" in tab.inner_text("noscript pre")
    context.close()
