"""The page's modules: they fit together, and decode nothing."""

import re
from pathlib import Path

import pytest

from tilelab.trace.page.build import CHIP, ONE_RUN, TWO_RUNS, fill
from tilelab.trace.page.bundle import IMPORT, BundleError, bundle

PAGE = Path(__file__).parents[2] / "src" / "tilelab" / "trace" / "page"
MODULES = sorted(PAGE.glob("*.js"))
BITS = re.compile(r"<<|>>|\^|~|(?<!&)&(?!&)|(?<!\|)\|(?!\|)")


def code(text: str) -> str:
    """A script without comments and texts."""
    text = re.sub(r"/\*.*?\*/|//[^\n]*", "", text, flags=re.S)
    return re.sub(r'"(?:\\.|[^"\\])*"', '""', text)


@pytest.mark.parametrize("path", MODULES, ids=lambda path: path.name)
def test_the_page_computes_with_numbers_not_with_bits(path: Path) -> None:
    if path.name == "palette.js":
        return  # colours
    assert not BITS.search(code(path.read_text(encoding="utf-8")))


def test_the_check_for_bits_sees_them() -> None:
    for text in ("a >> 2", "a & 255", "a | b", "a ^ b", "~a", "a >>> 0"):
        assert BITS.search(code(text))
    assert not BITS.search(code('a && b || c > d; /* a & b */ "a | b"'))


def test_every_module_is_used_and_every_import_too() -> None:
    texts = {path.name: path.read_text(encoding="utf-8") for path in MODULES}
    scripts = [bundle(entry, texts.__getitem__) for _, entry in (ONE_RUN, TWO_RUNS, CHIP)]
    for name in texts:
        assert any(f"/* {name} */" in script for script in scripts), name
    for script in scripts:
        assert "import " not in script
        assert "\nexport " not in script
    for name, text in texts.items():
        body = IMPORT.sub("", text)
        for names, _ in IMPORT.findall(text):
            for wanted in names.split(", "):
                assert re.search(rf"(?<![\w$.]){re.escape(wanted)}\b", body), (name, wanted)


@pytest.mark.parametrize(
    ("modules", "message"),
    [
        ({"a": 'import { f } from "./b.js";\n', "b.js": "const f = 1;\n"}, "exports no f"),
        (
            {
                "a": 'import { f } from "./b.js";\nconst g = 1;\n',
                "b.js": "const g = 2;\nexport const f = 1;\n",
            },
            "g is in",
        ),
        (
            {
                "a": 'import { f } from "./b.js";\nexport const g = 1;\n',
                "b.js": 'import { g } from "./a";\nexport const f = 1;\n',
            },
            "circle of imports",
        ),
    ],
)
def test_modules_that_do_not_fit_are_refused(modules: dict[str, str], message: str) -> None:
    with pytest.raises(BundleError, match=message):
        bundle("a", modules.__getitem__)


def test_what_a_run_is_called_cannot_break_the_page() -> None:
    page = fill("<b>@@DATA@@", '{"x": "@@SCRIPT@@ </script>"}', "a < b & @@STYLE@@")
    assert "<title>&lt;b&gt;@@DATA@@ – tilelab</title>" in page
    assert '{"x": "@@SCRIPT@@ <\\/script>"}' in page
    assert "<pre>a &lt; b &amp; @@STYLE@@</pre>" in page
