"""The report page's keys, wheel, fingers, and screens of all sizes."""

from pathlib import Path
from typing import Any

import pytest

from page_browser import keep, opened


def test_keyboard_moves_zooms_and_steps(shown: Any) -> None:
    def span() -> list[float]:
        found: list[float] = shown.evaluate(
            "[window.tilelab.timeline.from, window.tilelab.timeline.to]"
        )
        return found

    start = span()
    shown.keyboard.press("ArrowUp")
    zoomed = span()
    assert zoomed[1] - zoomed[0] < start[1] - start[0]
    shown.keyboard.press("ArrowRight")
    assert span()[0] > zoomed[0]
    shown.keyboard.press("f")
    assert span() == pytest.approx(start)
    shown.keyboard.press(".")
    first = shown.inner_text("#selected h2")
    shown.keyboard.press(".")
    assert shown.inner_text("#selected h2") != first
    shown.keyboard.press("5")
    assert shown.is_visible("#registers")
    shown.keyboard.press("?")
    assert shown.is_visible("#help")
    shown.keyboard.press("Escape")
    assert not shown.is_visible("#help")


def test_wheel_with_ctrl_zooms_at_the_pointer_and_dragging_moves(shown: Any) -> None:
    box = shown.locator("#canvas").bounding_box()
    x, y = box["x"] + 700, box["y"] + 200
    under = "window.tilelab.timeline.cycle(700)"
    before = shown.evaluate(under)
    shown.mouse.move(x, y)
    shown.keyboard.down("Control")
    shown.mouse.wheel(0, -600)
    shown.keyboard.up("Control")
    shown.wait_for_timeout(50)
    assert shown.evaluate(under) == pytest.approx(before, rel=0.02)
    assert shown.evaluate("window.tilelab.timeline.span") < 2000
    moved = shown.evaluate("window.tilelab.timeline.from")
    shown.mouse.down()
    shown.mouse.move(x - 200, y)
    shown.mouse.up()
    assert shown.evaluate("window.tilelab.timeline.from") > moved
    assert "Click a word" in shown.inner_text("#selected")  # a drag is no click
    moved = shown.evaluate("window.tilelab.timeline.from")
    shown.keyboard.down("Shift")
    shown.mouse.wheel(0, 300)
    shown.keyboard.up("Shift")
    shown.wait_for_timeout(50)
    assert shown.evaluate("window.tilelab.timeline.from") > moved


def visible_tracks(tab: Any) -> list[str]:
    found: list[str] = tab.evaluate(
        """() => {
            const { timeline } = window.tilelab, height = timeline.view.clientHeight;
            const inside = ({ y, height: h }) => y - timeline.scroll >= 20 && y + h - timeline.scroll <= height;
            return timeline.tracks.filter(inside).map((track) => track.name);
        }"""
    )
    return found


def test_every_track_can_be_scrolled_to(shown: Any) -> None:
    names = set(shown.evaluate("window.tilelab.timeline.tracks.map((track) => track.name)"))
    assert {"matrix unit", "SrcB bank 1", "1 MATH_PACK", "RISC-V cores"} <= names
    assert "SrcB bank 1" not in visible_tracks(shown)
    seen = set(visible_tracks(shown))
    for _ in range(8):
        shown.keyboard.press("PageDown")
        shown.wait_for_timeout(60)
        seen |= set(visible_tracks(shown))
    assert seen == names
    assert "SrcB bank 1" in visible_tracks(shown)
    keep(shown, "scrolled")
    shown.keyboard.press("Home")
    shown.wait_for_timeout(60)
    assert "TRISC0" in visible_tracks(shown)
    before, zoom = shown.evaluate("[tilelab.timeline.scroll, tilelab.timeline.span]")
    shown.locator("#canvas").hover()
    shown.mouse.wheel(0, 200)
    shown.wait_for_timeout(150)
    assert shown.evaluate("tilelab.timeline.scroll") > before
    assert shown.evaluate("tilelab.timeline.span") == zoom
    view = shown.evaluate("[tilelab.timeline.view.offsetWidth, tilelab.timeline.view.clientWidth]")
    assert view[0] >= view[1]  # the scrollbar takes its room, or floats


def test_the_bar_shares_the_room(shown: Any) -> None:
    height = "document.getElementById('view').clientHeight"
    before = shown.evaluate(height)
    box = shown.locator("#splitter").bounding_box()
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    shown.mouse.move(x, y)
    shown.mouse.down()
    shown.mouse.move(x, y + 150)
    shown.mouse.up()
    assert shown.evaluate(height) == pytest.approx(before + 150, abs=2)
    shown.focus("#splitter")
    shown.keyboard.press("ArrowUp")
    assert shown.evaluate(height) == pytest.approx(before + 110, abs=2)
    for _ in range(60):
        shown.keyboard.press("ArrowUp")
    assert shown.evaluate(height) > 60  # something of the timeline stays
    shown.dblclick("#splitter")
    assert shown.evaluate(height) == pytest.approx(before, abs=2)


def test_help_names_keys_and_colours(shown: Any) -> None:
    shown.click("#keys")
    text = shown.inner_text("#help")
    for word in ("scroll over the tracks", "PgDn", "Ctrl+wheel", "two fingers", "matrix unit"):
        assert word in text
    assert "the matrix unit has no valid SrcA or SrcB bank" in text
    assert shown.evaluate("document.getElementById('help').scrollTop") == 0
    keep(shown, "help")


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_small_screen_shows_all_of_it(browser: Any, report: Path, theme: str) -> None:
    context = browser.new_context(viewport={"width": 420, "height": 800}, has_touch=True)
    tab = context.new_page()
    tab.goto(f"{report.as_uri()}?theme={theme}")
    tab.wait_for_selector("html[data-ready=yes]")
    for name in ("time", "registers", "dst", "src", "replay", "selected"):
        tab.click(f"[data-tab={name}]")
        keep(tab, f"small-{theme}-{name}")
        assert tab.evaluate("document.documentElement.scrollWidth") <= 420, name
        inside = "[...document.querySelectorAll('header *')].every((n) => n.getBoundingClientRect().right <= 420)"
        assert tab.evaluate(inside)
    assert tab.evaluate("document.getElementById('view').clientHeight") > 150
    tab.click("#keys")
    assert tab.is_visible("#help")
    context.close()


def touch(session: Any, kind: str, *points: tuple[float, float]) -> None:
    found = [{"x": x, "y": y, "id": i} for i, (x, y) in enumerate(points)]
    session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": found})


def test_fingers_move_and_zoom(browser: Any, report: Path) -> None:
    context = browser.new_context(viewport={"width": 420, "height": 800}, has_touch=True)
    tab = context.new_page()
    tab.goto(report.as_uri())
    tab.wait_for_selector("html[data-ready=yes]")
    box = tab.locator("#canvas").bounding_box()
    y = box["y"] + 80
    fingers = context.new_cdp_session(tab)
    span = tab.evaluate("tilelab.timeline.span")
    touch(fingers, "touchStart", (220, y), (300, y))
    for k in range(1, 9):
        touch(fingers, "touchMove", (220 - 6 * k, y), (300 + 6 * k, y))
    touch(fingers, "touchEnd")
    assert tab.evaluate("tilelab.timeline.span") < 0.6 * span
    start = tab.evaluate("tilelab.timeline.from")
    touch(fingers, "touchStart", (350, y))
    for k in range(1, 9):
        touch(fingers, "touchMove", (350 - 15 * k, y))
    touch(fingers, "touchEnd")
    assert tab.evaluate("tilelab.timeline.from") > start
    context.close()


def test_paper_is_light_and_has_every_track(browser: Any, report: Path) -> None:
    for tab in opened(browser, report, "dark"):
        tab.emulate_media(media="print")
        tab.wait_for_function("() => document.documentElement.dataset.theme === 'light'")
        assert tab.evaluate("() => getComputedStyle(document.body).color") == "rgb(27, 31, 39)"
        assert tab.evaluate(
            """() => { const t = window.tilelab.timeline;
                       return t.height >= t.extent && t.tracks.every((one) => t.top(one) + one.height <= t.height); }"""
        )
        assert not tab.is_visible("nav")
        assert tab.is_visible("#time")
        assert tab.is_visible("#source .lines")
        tab.emulate_media(media="screen")
        tab.wait_for_function("() => document.documentElement.dataset.theme === 'dark'")
        assert tab.evaluate("() => window.tilelab.timeline.height < window.tilelab.timeline.extent")


def test_nothing_lies_on_a_track(shown: Any) -> None:
    apart = """() => { const view = document.querySelector("#view").getBoundingClientRect(),
                             more = document.querySelector("#more").getBoundingClientRect();
                       return more.top >= view.bottom - 1 && more.height > 10; }"""
    assert shown.is_visible("#more")
    assert shown.evaluate(apart)
    shown.click("#more")
    assert shown.evaluate("() => window.tilelab.timeline.scroll") > 0
    shown.evaluate("() => { window.tilelab.timeline.scroll = 1e6; }")
    shown.wait_for_selector("#more", state="hidden")
