"""The README as a package index can show it: without what only a checkout has."""

import re
from pathlib import Path
from typing import Any

from hatchling.metadata.plugin.interface import MetadataHookInterface

PAGES = "\nThe pages that this one names are in the package, in its folder `docs`.\n"


def plain(text: str) -> str:
    """A Markdown page without relative pictures and with the words of relative links alone."""
    text = re.sub(r"^<picture>.*?</picture>\n+", "", text, flags=re.S | re.M)
    text = re.sub(r"^<!-- .*? -->\n", "", text, flags=re.M)
    return re.sub(r"(?<!!)\[([^\]]*)\]\((?![a-z]+:)[^)]*\)", r"\1", text)


class ReadmeHook(MetadataHookInterface):
    """Makes the package's readme from the repository's."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Add the readme to the metadata."""
        text = Path(self.root, "README.md").read_text(encoding="utf-8")
        metadata["readme"] = {"content-type": "text/markdown", "text": plain(text) + PAGES}
