"""The documentation site builds, and a link that leads nowhere keeps it from doing so."""

import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

needs_zensical = pytest.mark.skipif(
    not find_spec("zensical"), reason="needs zensical: pip install 'tilelab[docs]'"
)


def build(folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "zensical", "build", "--strict", "-f", "mkdocs.yml"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """What the site is made of."""
    shutil.copytree(ROOT / "docs", tmp_path / "docs")
    shutil.copy(ROOT / "mkdocs.yml", tmp_path)
    return tmp_path


@needs_zensical
def test_the_site_builds_with_strict_links(checkout: Path) -> None:
    done = build(checkout)
    assert done.returncode == 0, done.stdout + done.stderr
    assert (checkout / "build" / "site" / "lessons" / "12-race.html").exists()


@needs_zensical
def test_a_dead_link_is_found(checkout: Path) -> None:
    with (checkout / "docs" / "walk.md").open("a", encoding="utf-8") as page:
        page.write("\n[nowhere](nowhere.md)\n")
    assert build(checkout).returncode != 0


def test_every_page_is_reached_from_the_sites_menu_or_another_page() -> None:
    docs = ROOT / "docs"
    menu = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    texts = {path: path.read_text(encoding="utf-8") for path in docs.rglob("*.md")}
    lost = [
        path.relative_to(docs).as_posix()
        for path in texts
        if path.relative_to(docs).as_posix() not in menu
        and not any(path.name in text for other, text in texts.items() if other != path)
    ]
    assert lost == []
