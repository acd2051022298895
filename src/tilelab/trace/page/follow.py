"""A page that is written again and again: an open browser reloads it when it has changed.

A page of a local file may fetch nothing, but may load scripts. So a small script beside it says
which of its versions is there; it goes when nothing is written any more.
"""

import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

SCRIPT = """<script>
setInterval(() => {
  const script = document.createElement("script");
  script.src = %r + "?" + Date.now();
  script.onload = () => { if (window.tilelabVersion !== %r) location.reload(); script.remove(); };
  script.onerror = () => script.remove();
  document.head.append(script);
}, 1000);
</script>
</body>"""


def _beside(page: Path) -> Path:
    return page.with_name(f"{page.name}.version.js")


def follow(text: str, page: Path) -> str:
    """The page's text so that it reloads; writes down that this version is the newest."""
    version = secrets.token_hex(8)
    _beside(page).write_text(f"window.tilelabVersion = {version!r};\n", encoding="utf-8")
    before, _, after = text.rpartition("</body>")
    return before + SCRIPT % (_beside(page).name, version) + after


@contextmanager
def following(page: Path) -> Iterator[None]:
    """While pages follow; afterwards the script is gone."""
    try:
        yield
    finally:
        _beside(page).unlink(missing_ok=True)
