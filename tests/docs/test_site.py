"""The documentation site builds, a dead link keeps it from doing so, and its pages can be read.

``TILELAB_SCREENSHOTS`` names a folder for pictures of pages, light and dark, wide and narrow.
"""

import os
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from prose import pages

from page_browser import CHROMIUM

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "docs"))

import build_site  # noqa: E402
import install_tables  # noqa: E402

needs_zensical = pytest.mark.skipif(
    not find_spec("zensical"), reason="needs zensical: pip install -e '.[docs]'"
)
WIDTHS = (1400, 420)
SEEN = ("index", "getting-started", "cycles", "cli/compare", "glossary")
"""Pages that are looked at: the first ones, and those with the widest output."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A built site's folder."""
    if not find_spec("zensical"):
        pytest.skip("needs zensical: pip install -e '.[docs]'")
    made = tmp_path_factory.mktemp("site")
    build_site.prepare(made)
    assert build_site.build(made) == 0
    return made


@pytest.fixture(scope="module")
def site(folder: Path) -> Path:
    return folder / "build" / "site"


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    api = pytest.importorskip("playwright.sync_api", reason="pip install playwright")
    if CHROMIUM is None:
        pytest.skip("chromium is not installed (Debian: apt-get install chromium)")
    with api.sync_playwright() as playwright:
        made = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield made
        made.close()


def test_every_page_is_there(site: Path) -> None:
    assert (site / "lessons" / "12-race.html").exists()
    assert (site / "cli" / "run.html").exists()


def test_the_sample_page_is_there_to_click(site: Path) -> None:
    assert 'href="sample/matmul.html"' in (site / "sample.html").read_text(encoding="utf-8")
    assert "PASS" in (site / "sample" / "matmul.html").read_text(encoding="utf-8")
    assert 'href="sample.html"' in (site / "index.html").read_text(encoding="utf-8")


def test_pages_lead_to_the_next_and_the_previous(site: Path) -> None:
    text = (site / "walk.html").read_text(encoding="utf-8")
    assert "md-footer__link--prev" in text
    assert "md-footer__link--next" in text


def test_the_search_knows_the_glossary(site: Path) -> None:
    text = (site / "search.json").read_text(encoding="utf-8")
    assert "glossary.html" in text
    assert "MOP expander" in text


@needs_zensical
def test_a_dead_link_is_found(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    (tmp_path / "mkdocs.yml").write_text("site_name: x\nsite_dir: build/site\n", encoding="utf-8")
    page = tmp_path / "docs" / "index.md"
    page.write_text("# here\n\n[here](index.md)\n", encoding="utf-8")
    assert build_site.build(tmp_path) == 0
    page.write_text("# here\n\n[nowhere](nowhere.md)\n", encoding="utf-8")
    assert build_site.build(tmp_path) != 0


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", WIDTHS)
def test_pages_fit_the_screen(site: Path, browser: Any, width: int, theme: str) -> None:
    context = browser.new_context(viewport={"width": width, "height": 900}, color_scheme=theme)
    tab = context.new_page()
    for name in SEEN:
        tab.goto((site / f"{name}.html").as_uri())
        tab.wait_for_selector("h1")
        assert tab.evaluate("document.documentElement.scrollWidth <= innerWidth"), name
        cut = tab.evaluate(
            "[...document.querySelectorAll('pre > code')].filter((e) => e.scrollWidth > "
            "e.clientWidth && getComputedStyle(e).overflowX !== 'auto').length"
        )
        assert cut == 0, f"{name}: code is cut off that cannot be scrolled"
        if pictures := os.environ.get("TILELAB_SCREENSHOTS"):
            file = f"site-{name.replace('/', '-')}-{theme}-{width}.png"
            tab.screenshot(path=str(Path(pictures) / file))
    context.close()


def test_reports_of_150_columns_are_whole_on_a_wide_screen(site: Path, browser: Any) -> None:
    tab = browser.new_page(viewport={"width": 1400, "height": 900})
    tab.goto((site / "getting-started.html").as_uri())
    code = (
        "[...document.querySelectorAll('pre > code')].find((e) => e.innerText.includes('held  by'))"
    )
    assert tab.evaluate(f"{code}.scrollWidth <= {code}.clientWidth")
    tab.close()


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


# ------------------------------------------------------------------ the day of publication


PUBLISHED = 'Repository = "https://example.org/tilelab"'


def test_the_repositorys_address_is_one_line_of_the_project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = install_tables.PROJECT.read_text(encoding="utf-8")
    head, _, rest = text.partition("[project.urls]")
    comment, _, after = rest.partition("\n")
    published = tmp_path / "pyproject.toml"
    lines = [line for line in after.splitlines() if not line.lstrip("# ").startswith("Repository")]
    published.write_text("\n".join([f"{head}[project.urls]{comment}", PUBLISHED, *lines]), "utf-8")
    monkeypatch.setattr(install_tables, "PROJECT", published)
    assert "git clone https://example.org/tilelab tilelab && cd tilelab" in [
        *install_tables.checkout()
    ]


def test_pages_name_no_address_before_that(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    project = tmp_path / "pyproject.toml"
    project.write_text('[project]\nname = "x"\n', "utf-8")
    monkeypatch.setattr(install_tables, "PROJECT", project)
    assert not [line for line in install_tables.checkout() if "git clone" in line]


def test_install_lines_are_for_a_checkout() -> None:
    for page in pages():
        for line in page.read_text(encoding="utf-8").splitlines():
            if "pip install" in line:
                assert "tilelab[" not in line, f"{page.name}: {line}"
                assert "install tilelab" not in line, f"{page.name}: {line}"
