"""Opens report pages in Debian's Chromium, driven by Playwright; keeps pictures if asked to.

``TILELAB_SCREENSHOTS`` names a folder for the pictures.
"""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

EXAMPLES = Path(__file__).parents[1] / "examples"
CHROMIUM = shutil.which("chromium")


def opened(browser: Any, path: Path, theme: str = "light") -> Iterator[Any]:
    tab = browser.new_page(viewport={"width": 1400, "height": 900})
    errors: list[str] = []
    requests: list[str] = []
    tab.on("pageerror", lambda error: errors.append(str(error)))
    tab.on("console", lambda line: errors.append(line.text) if line.type == "error" else None)
    tab.on("request", lambda request: requests.append(request.url))
    tab.goto(f"{path.as_uri()}?theme={theme}")
    tab.wait_for_selector("html[data-ready=yes]")
    yield tab
    assert errors == []
    assert all(url.startswith(("file:", "data:", "blob:")) for url in requests)  # no network
    tab.close()


def keep(tab: Any, name: str) -> None:
    if folder := os.environ.get("TILELAB_SCREENSHOTS"):
        tab.screenshot(path=str(Path(folder) / f"{name}.png"))


def click_issue(tab: Any, number: int) -> None:
    """Zoom to an issued word of the math thread and click it, as a user would."""
    place = tab.evaluate(
        """(number) => {
            const { model, timeline } = window.tilelab;
            const event = model.of(1, 1)[number], clock = model.events.clock[event];
            timeline.show(clock - 12, clock + 12);
            const track = timeline.tracks.find((t) => t.kind === "gate" && t.thread === 1);
            timeline.scroll = track.y - 200;
            return new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => {
                const box = timeline.canvas.getBoundingClientRect();
                done([box.x + timeline.x(clock + 0.5), box.y + track.y - timeline.scroll + 12]);
            })));
        }""",
        number,
    )
    tab.mouse.click(*place)
