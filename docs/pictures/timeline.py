"""Draw timeline-light.png and timeline-dark.png: the page of the matmul example, in Chromium.

usage: python docs/pictures/timeline.py     (needs chromium: apt-get install chromium; extra page)
"""

import shutil
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from tilelab.cli.main import main

HERE = Path(__file__).resolve().parent
WIDTH, HEIGHT = 1280, 860


def draw() -> None:
    """Write the page of the matmul example and take its picture in both themes."""
    chromium = shutil.which("chromium")
    if chromium is None:
        sys.exit("chromium is not installed")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as play:
        page = Path(folder) / "matmul.html"
        if main(["view", str(HERE.parents[1] / "examples" / "matmul"), "-o", str(page)]):
            sys.exit("the example failed")
        browser = play.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        for theme in ("light", "dark"):
            tab = browser.new_page(viewport={"width": WIDTH, "height": HEIGHT})
            tab.goto(f"{page.as_uri()}?theme={theme}")
            tab.wait_for_selector("html[data-ready=yes]")
            tab.screenshot(path=HERE / f"timeline-{theme}.png")
        browser.close()


if __name__ == "__main__":
    draw()
