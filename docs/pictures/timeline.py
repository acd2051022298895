"""Draw timeline-light.png and timeline-dark.png: the page of the matmul example, in Chromium.

usage: python docs/pictures/timeline.py     (needs chromium: apt-get install chromium)
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tilelab.cli.main import main

HERE = Path(__file__).resolve().parent
WIDTH, HEIGHT = 1280, 860


def draw(theme: str, target: Path) -> None:
    """Write the page of the matmul example and take its picture in a theme."""
    chromium = shutil.which("chromium")
    if chromium is None:
        sys.exit("chromium is not installed")
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "matmul.html"
        if main(["view", str(HERE.parents[1] / "examples" / "matmul"), "-o", str(page)]):
            sys.exit("the example failed")
        subprocess.run(
            [
                chromium,
                *("--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"),
                *("--no-first-run", "--disable-sync", "--disable-component-update"),
                *("--disable-background-networking", f"--user-data-dir={folder}/profile"),
                "--timeout=5000",  # milliseconds until the picture is taken
                f"--window-size={WIDTH},{HEIGHT}",
                f"--screenshot={target}",
                f"{page.as_uri()}?theme={theme}",
            ],
            check=True,
            capture_output=True,
            timeout=60,
        )


if __name__ == "__main__":
    for theme in ("light", "dark"):
        draw(theme, HERE / f"timeline-{theme}.png")
