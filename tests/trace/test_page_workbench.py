"""Working in the page: source and code, ranges, outputs, closed and filtered tracks, links."""

import json
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from page_browser import EXAMPLES, click_issue, keep, opened
from tilelab.cli.main import main
from tilelab.tensix.cycle import events as kinds
from tilelab.trace.recorded import Recorded

SIZES = [(1400, 900), (420, 800)]


def settled(tab: Any) -> None:
    tab.evaluate("() => new Promise((r) => requestAnimationFrame(() => requestAnimationFrame(r)))")


@pytest.fixture(scope="module")
def wrong(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The page of a kernel whose expected tiles 1 and 2 are swapped."""
    folder = tmp_path_factory.mktemp("wrong")
    shutil.copytree(EXAMPLES / "matmul", folder / "matmul")
    want = np.load(folder / "matmul" / "c.npy")
    want[:32, 32:], want[32:, :32] = want[32:, :32].copy(), want[:32, 32:].copy()
    np.save(folder / "matmul" / "c.npy", want)
    path = folder / "report.html"
    assert main(["view", str(folder / "matmul"), "-o", str(path)]) == 1
    return path


@pytest.fixture
def failed(browser: Any, wrong: Path) -> Iterator[Any]:
    yield from opened(browser, wrong)


def test_from_an_instruction_to_its_line_and_back(shown: Any) -> None:
    click_issue(shown, 300)
    shown.click("text=this line in the source")
    chosen = shown.locator(".lines tr.chosen")
    assert "ckernel_template::run();" in chosen.inner_text()
    code = shown.locator(".instructions tr.chosen")
    assert [text.split("\t")[1:] for text in code.all_inner_texts()] == [
        ["ttmop 1,0,0", "kernel.cpp:31"]
    ]
    assert shown.locator(".lines tr.chosen td").first.evaluate("n => n.style.borderLeftColor") == (
        code.first.locator("td").first.evaluate("n => n.style.borderLeftColor")
    )
    keep(shown, "source")
    shown.locator(".lines tr", has_text="UNPACK((llk_unpack_AB_matmul").click()
    assert shown.locator("#source select[aria-label=Core]").input_value() == "0"
    shown.click("text=first word of kernel.cpp:23")
    assert "kernel.cpp:23" in shown.inner_text("#selected")


def test_cycles_of_lines_add_up_to_the_run(shown: Any, recording: Recorded) -> None:
    shown.click("[data-tab=source]")
    counted = shown.evaluate(
        """() => [...document.querySelectorAll(".lines tbody tr")].map((row) =>
               [...row.cells].slice(1, 4).map((cell) => Number(cell.innerText.replace(/,/g, ""))))"""
    )
    for thread in range(3):
        inside = sum(row[thread] for row in counted)
        issues = recording.of(kinds.ISSUE, thread)
        lines = [recording.line(int(e) >> 56 & 7, int(e) & 0xFFFFFFFF) for e in sites(issues)]
        before, mine = -1, 0
        for line, clock in zip(lines, issues["clock"].tolist(), strict=True):
            mine += clock - max(before, 0) + (before < 0) if line.startswith("kernel.cpp") else 0
            before = clock
        assert inside == pytest.approx(mine, abs=1)


def sites(issues: Any) -> list[int]:
    from tilelab.tensix.words.origin import push_site  # noqa: PLC0415

    return push_site(issues["extra"]).tolist()  # type: ignore[no-any-return]


def test_a_range_and_its_sums(shown: Any, recording: Recorded) -> None:
    box = shown.locator("#canvas").bounding_box()
    x = shown.evaluate("() => [700, 1200].map((c) => window.tilelab.timeline.x(c))")
    shown.mouse.move(box["x"] + x[0], box["y"] + 8)
    shown.mouse.down()
    shown.mouse.move(box["x"] + x[1], box["y"] + 8, steps=4)
    shown.mouse.up()
    settled(shown)
    first, last = shown.evaluate("() => window.tilelab.timeline.range")
    assert abs(first - 700) < 4
    assert abs(last - 1200) < 4
    text = shown.inner_text("#time").replace("\n", "")
    issued = sum(
        int(((recording.of(kinds.ISSUE, t)["clock"] >= first)
             & (recording.of(kinds.ISSUE, t)["clock"] < last)).sum())
        for t in range(3)
    )  # fmt: skip
    assert f"cycles {first:,} to {last - 1:,}: {last - first:,} cycles" in text
    assert f"{issued:,} words issued" in text
    keep(shown, "range")
    shown.click("text=the whole run")
    settled(shown)
    assert shown.evaluate("() => window.tilelab.timeline.range") is None
    assert "bound by" in shown.inner_text("#time").lower()


def test_a_range_of_everything_is_the_breakdown(shown: Any) -> None:
    counts = shown.evaluate(
        """async () => {
            const { model, timeline } = window.tilelab;
            timeline.setRange(0, model.end);
            await new Promise((r) => requestAnimationFrame(() => requestAnimationFrame(r)));
            return [...document.querySelectorAll("#time .bar span")].map((n) => n.title);
        }"""
    )
    shown.keyboard.press("Escape")
    settled(shown)
    whole = shown.evaluate(
        "() => [...document.querySelectorAll('#time .bar span')].map((n) => n.title)"
    )
    threads = [title for title in whole if title.split(":")[0] in ("issued", "operands")]
    assert len(threads) >= 4
    assert set(threads) <= set(counts)


def test_groups_close_and_tracks_are_filtered(shown: Any) -> None:
    names = "() => window.tilelab.timeline.tracks.map((t) => t.name)"
    everything = shown.evaluate(names)
    y = shown.evaluate("() => window.tilelab.timeline.tracks.find((t) => t.name === 'T0 unpack').y")
    box = shown.locator("#canvas").bounding_box()
    shown.mouse.click(box["x"] + 40, box["y"] + y + 10)
    closed = shown.evaluate(names)
    assert "T0 unpack" in closed
    assert len(closed) < len(everything)
    shown.mouse.click(box["x"] + 40, box["y"] + y + 10)
    assert shown.evaluate(names) == everything
    shown.fill("#tracks", "gate")
    assert shown.evaluate(names) == [
        "T0 unpack", "wait gate", "T1 math", "wait gate", "T2 pack", "wait gate",
    ]  # fmt: skip
    click = "() => window.tilelab.jump(window.tilelab.model.of(10, 0)[0])"
    shown.evaluate(click)  # a push: what is hidden is shown again
    assert shown.evaluate(names) == everything


def test_circular_buffers_fill_over_time(shown: Any, recording: Recorded) -> None:
    tracks = shown.evaluate(
        """() => window.tilelab.timeline.all.filter((t) => t.group === "circular buffers" && t.spans)
               .map((t) => [t.name, t.max, [...t.spans.start], [...t.spans.key]])"""
    )
    assert [name for name, *_ in tracks] == ["c_0", "c_1", "c_16"]
    for name, most, starts, levels in tracks:
        noted = recording.of(kinds.BUFFER, int(name[2:]))
        assert starts == noted["clock"].tolist()
        assert levels == noted["value"].tolist()
        assert most == max(levels)
    inputs, output = tracks[0][3], tracks[2][3]
    assert inputs == [0, *range(inputs[1], -1, -1)]  # filled at the start, then drained
    assert output == list(range(len(output)))
    assert "cb_push_back" in shown.evaluate("() => window.tilelab.model.meaning('c_0')")


@pytest.mark.parametrize("size", SIZES)
def test_tracks_are_pinned_and_filtered(browser: Any, report: Path, size: tuple[int, int]) -> None:
    for tab in opened(browser, report):
        tab.set_viewport_size({"width": size[0], "height": size[1]})
        settled(tab)
        place = """(name) => { const t = window.tilelab.timeline;
            return t.top(t.tracks.find((track) => track.name === name)); }"""
        box = tab.locator("#canvas").bounding_box()
        tab.focus("#view")
        tab.keyboard.press("End")
        settled(tab)
        for name in ("c_16", "matrix unit"):  # by their names
            tab.mouse.click(box["x"] + 40, box["y"] + tab.evaluate(place, name) + 8)
            settled(tab)
        tab.keyboard.press("Home")
        settled(tab)
        tops = [tab.evaluate(place, name) for name in ("c_16", "matrix unit")]
        tab.keyboard.press("End")
        settled(tab)
        assert [tab.evaluate(place, name) for name in ("c_16", "matrix unit")] == tops
        assert tops == sorted(tops)
        assert tops[1] < 80
        keep(tab, f"pinned-{size[0]}")
        found = tab.evaluate(  # what is under a pinned track's pixels is that track
            """(y) => { const t = window.tilelab.timeline; t.fit();
                for (let x = 133; x < t.width + 132; x++) {
                    const found = t.hit(x, y + 5);
                    if (found) return found.track.name;
                } }""",
            tops[1],
        )
        assert found == "matrix unit"
        tab.wait_for_timeout(300)
        assert "pinned=circular+buffers%2Fc_16%2Cunits%2Fmatrix+unit" in tab.url
        tab.mouse.click(box["x"] + 40, box["y"] + tops[0] + 8)  # no longer
        settled(tab)
        assert tab.evaluate("() => window.tilelab.timeline.pinned") == ["units/matrix unit"]
        tab.fill("#tracks", "gate")
        assert tab.locator("#tracks").is_visible()
        names = tab.evaluate("() => window.tilelab.timeline.tracks.map((t) => t.name)")
        assert names.count("wait gate") == 3
        assert len(names) == 7
        keep(tab, f"filtered-{size[0]}")


def test_the_address_brings_back_what_one_saw(browser: Any, report: Path, shown: Any) -> None:
    click_issue(shown, 300)
    shown.evaluate("() => window.tilelab.timeline.setRange(500, 900)")
    shown.click("[data-tab=replay]")
    shown.wait_for_timeout(400)
    address = shown.url
    assert "range=500-900" in address
    other = browser.new_page(viewport={"width": 1400, "height": 900})
    other.goto(address)
    other.wait_for_selector("html[data-ready=yes]")
    assert other.evaluate("() => window.tilelab.timeline.range") == [500, 900]
    assert "kernel.cpp:31" in other.inner_text("#selected", timeout=1000) or other.evaluate(
        "() => document.getElementById('selected').textContent"
    ).count("kernel.cpp:31")
    assert other.get_attribute("[data-tab=replay]", "aria-selected") == "true"
    views = [tab.evaluate("() => window.tilelab.timeline.from") for tab in (shown, other)]
    assert views[0] == pytest.approx(views[1], abs=1)
    other.close()


def test_outputs_are_shown_with_what_is_wrong(failed: Any) -> None:
    failed.click("[data-tab=outputs]")
    text = failed.inner_text("#outputs")
    assert "looks like tiles 1 and 2 swapped" in text
    assert failed.locator("#outputs canvas").count() == 3
    maps = failed.locator("#outputs canvas")
    assert maps.nth(2).get_attribute("aria-label").endswith("got − expected")
    maps.nth(1).click(position={"x": 150, "y": 20})  # tile 1
    assert "rows 0 to 31, columns 32 to 63" in failed.inner_text("#outputs .values h3")
    wrong = failed.locator("#outputs td.differs").first
    assert re.match(r"\[0, 32\]: -?[\d.]+, expected -?[\d.]+", wrong.get_attribute("title"))
    keep(failed, "outputs")


@pytest.mark.parametrize(("tab", "name"), [("dst", "tile"), ("src", "Src")])
def test_a_tile_of_registers_is_a_table(shown: Any, tab: str, name: str) -> None:
    shown.click(f"[data-tab={tab}]")
    picture = shown.locator(f"#{tab} canvas").last
    picture.click(position={"x": 22, "y": 14})  # column 5, row 3
    picture.hover(position={"x": 22, "y": 14})
    said = picture.get_attribute("title").split(": ")[-1]
    cells = shown.locator(f"#{tab} .values tbody tr").nth(3).locator("td")
    assert cells.nth(5).get_attribute("title") == f"[3, 5]: {said}"
    assert shown.inner_text(f"#{tab} .values h3").startswith(name)
    keep(shown, f"table-{tab}")


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_every_panel_and_the_last_track_are_reached(
    browser: Any, wrong: Path, size: tuple[int, int], theme: str
) -> None:
    for tab in opened(browser, wrong, theme):
        tab.set_viewport_size({"width": size[0], "height": size[1]})
        settled(tab)
        for name in ("selected", "time", "source", "outputs", "registers", "dst", "report"):
            tab.evaluate("(name) => document.querySelector(`[data-tab=${name}]`).click()", name)
            assert tab.inner_text(f"#{name}").strip()
        width = tab.evaluate("() => document.documentElement.scrollWidth")
        assert width <= size[0], "the page is wider than the window"
        tab.focus("#view")
        tab.keyboard.press("End")
        settled(tab)
        assert tab.evaluate(
            """() => { const t = window.tilelab.timeline, last = t.tracks.at(-1);
                       return last.y + last.height - t.scroll <= t.height; }"""
        )
        keep(tab, f"all-{size[0]}-{theme}")


def test_every_track_has_a_meaning(report: Path, shown: Any) -> None:
    names = shown.evaluate(
        """() => window.tilelab.timeline.all.filter((t) => t.kind !== "group").map((t) => t.name)"""
    )
    missing = [n for n in names if not shown.evaluate("(n) => window.tilelab.model.meaning(n)", n)]
    assert missing == []
    shown.keyboard.press("?")
    assert "Holds the next word until" in shown.inner_text("#legend")
    data = json.loads(
        re.search(r'type="application/json">(.*?)</script>', report.read_text(), re.S)[1]  # type: ignore[index]
    )
    assert len(data["files"]["kernel.cpp"]) > 40


@pytest.mark.parametrize("width", [1400, 1000, 900, 760, 640, 420])
def test_the_header_leaves_room_at_any_width(browser: Any, wrong: Path, width: int) -> None:
    for tab in opened(browser, wrong):
        tab.set_viewport_size({"width": width, "height": 800})
        settled(tab)
        height = tab.evaluate(
            "() => document.querySelector('header').getBoundingClientRect().height"
        )
        assert height < 130


def test_a_timeline_without_tracks_says_so(browser: Any, tmp_path: Path) -> None:
    source, path = tmp_path / "empty.s", tmp_path / "empty.html"
    source.write_text(".mopcfg 0, 1\n")  # nothing is pushed
    assert main(["view", str(source), "-o", str(path), "--engine", "reference"]) == 0
    count = """() => { const c = window.tilelab.timeline.canvas; let inked = 0;
        const data = c.getContext("2d").getImageData(0, 30, c.width, 30).data;
        for (let i = 0; i < data.length; i += 4) inked += data[i] < 200;
        return inked; }"""
    for tab in opened(browser, path):
        settled(tab)
        assert tab.evaluate(count) > 20, "nothing ran"
