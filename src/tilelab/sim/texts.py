"""Text files that stand beside a package's modules, each in its own language."""

import re
from importlib.resources import files


def text_of(package: str, name: str, /, **facts: object) -> str:
    """A file of a package; ``@NAME@`` in it stands for a fact of that name.

    A line that is nothing but a fact is left out if that is empty.
    """
    text = files(package).joinpath(name).read_text(encoding="utf-8")
    for key, value in facts.items():
        if value == "":
            text = text.replace(f"\n@{key.upper()}@\n", "\n")
    return re.sub("@([A-Z0-9_]+)@", lambda at: str(facts.get(at[1].lower(), at[0])), text)


def paragraphs(package: str, name: str) -> list[list[str]]:
    """The lines of each paragraph of a file but the first, which says what the others hold."""
    return [block.split("\n") for block in text_of(package, name).strip().split("\n\n")[1:]]


def columns(line: str) -> list[str]:
    """The columns of a line, which `` | `` parts."""
    return [part.strip() for part in line.split(" | ")]
