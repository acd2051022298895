"""Build the documentation site, with a sample page of a run.

usage: python docs/build_site.py FOLDER    (needs the extra ``docs``: pip install -e '.[docs]')

The site is in FOLDER/build/site; a dead link is an error. FOLDER gets the pages, ``mkdocs.yml``
with the repository's address if it has one (install_tables.py), and the page that ``tilelab view``
writes of the matrix product.
"""

import shutil
import subprocess
import sys
from pathlib import Path

import install_tables

from tilelab.cli.main import main as tilelab

ROOT = Path(__file__).resolve().parents[1]
MARK = "<!-- site: sample -->"
SAMPLE = "[**Open the sample page**](sample/matmul.html)"


def prepare(folder: Path) -> None:
    """Put into a folder what the site is made of."""
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copytree(ROOT / "docs", folder / "docs", dirs_exist_ok=True)
    settings = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    if address := install_tables.repository():
        settings += f"repo_url: {address}\n"
    (folder / "mkdocs.yml").write_text(settings, encoding="utf-8")
    page = folder / "docs" / "sample.md"
    text = page.read_text(encoding="utf-8")
    if MARK not in text:
        raise ValueError(f"sample.md has no {MARK}")
    page.write_text(text.replace(MARK, SAMPLE), encoding="utf-8")
    (folder / "docs" / "sample").mkdir(exist_ok=True)
    run = ["view", str(ROOT / "examples" / "matmul"), "-o"]
    if tilelab([*run, str(folder / "docs" / "sample" / "matmul.html")]):
        raise RuntimeError("the sample page could not be made")


def build(folder: Path) -> int:
    """Make the site; return the exit code."""
    command = [sys.executable, "-m", "zensical", "build", "--strict", "-f", "mkdocs.yml"]
    return subprocess.run(command, cwd=folder, check=False).returncode


def main() -> int:
    """Prepare and build."""
    if len(sys.argv) != 2 or sys.argv[1].startswith("-"):
        print(__doc__, file=sys.stderr)
        return 2
    folder = Path(sys.argv[1])
    prepare(folder)
    return build(folder)


if __name__ == "__main__":
    sys.exit(main())
