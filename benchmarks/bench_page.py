"""How fast a page of four million events is: to open, to zoom, to search, in Chromium.

usage: python benchmarks/bench_page.py [OPENINGS]   (needs playwright and chromium)

Elapsed seconds are from the start of the navigation until the page can be used; processor seconds
are those of the page's process, all its threads. On a shared machine the best of several says most.
"""

import shutil
import sys
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import Any

from playwright.sync_api import sync_playwright

from tilelab.kernels.assembly_run import run_program
from tilelab.report.breakdown import breakdown
from tilelab.tensix import Tile, assemble
from tilelab.trace.page import page
from tilelab.trace.recorded import Recorded

OUTER, INNER, MOPS = 127, 127, 88
PROGRAM = (
    f"""
.mopcfg 0, {OUTER}
.mopcfg 1, {INNER}
.mopcfg 2, {{ ttnop }}
.mopcfg 3, {{ ttnop }}
.mopcfg 4, {{ ttnop }}
.mopcfg 5, {{ ttincrwc 0,1,0,0 }}
.mopcfg 6, {{ ttnop }}
.mopcfg 7, {{ ttincrwc 0,1,0,0 }}
.mopcfg 8, {{ ttincrwc 0,1,0,0 }}
"""
    + "ttmop 1,0,0\nttsetrwc 0,0,0,0,0,15\n" * MOPS
)
FRAME = "() => new Promise((r) => requestAnimationFrame(() => requestAnimationFrame(r)))"


def write(path: Path) -> int:
    """Write the page of a long run; how many events it has."""
    tile = Tile(clock="cycle")
    recording = Recorded(tile, "large")
    run_program(assemble(PROGRAM), tile, 1 << 30)
    path.write_text(page(recording, breakdown(tile.state).as_dict()), encoding="utf-8")
    return len(recording.events)


def opened(browser: Any, path: Path) -> dict[str, float]:
    """Open the page once, zoom and search in it; seconds of each."""
    tab = browser.new_page(viewport={"width": 1400, "height": 900})
    session = tab.context.new_cdp_session(tab)
    session.send("Performance.enable")
    tab.goto(path.as_uri())
    tab.wait_for_selector("html[data-ready=yes]")
    found = {"open": tab.evaluate("performance.now()") / 1000}
    metrics = {
        row["name"]: row["value"] for row in session.send("Performance.getMetrics")["metrics"]
    }
    found["open, processor"] = metrics["ProcessTime"]
    tab.evaluate("window.tilelab.timeline.show(1000, 90000)")
    tab.evaluate(FRAME)
    found["zoom"] = tab.evaluate("window.tilelab.timeline.drawn") / 1000
    began = time.perf_counter()
    tab.fill("#search", "ttincrwc")
    tab.inner_text("#matches")
    found["search"] = time.perf_counter() - began
    tab.close()
    return found


def main(openings: int) -> None:
    """Print the best and the median of each."""
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        path = Path(folder) / "large.html"
        began = time.process_time()
        events = write(path)
        print(f"{events:,} events, {path.stat().st_size / 1e6:.1f} MB, ", end="")
        print(f"made in {time.process_time() - began:.1f} s of processor time")
        rounds = []
        for _ in range(openings):  # a browser each: its processes have done nothing else
            chromium = playwright.chromium.launch(
                executable_path=shutil.which("chromium"), args=["--no-sandbox"]
            )
            rounds.append(opened(chromium, path))
            chromium.close()
    for name in rounds[0]:
        values = [found[name] for found in rounds]
        print(f"{name:16} {min(values):6.2f} s best, {median(values):6.2f} s median of {openings}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 7)
